# A project of vehicle-media-site as a container: docs/container.md. From the project's folder:
#
#   docker build -f node_modules/vehicle-media-site/Dockerfile -t our-site .
#
# Debian's slim image has the C library with which sharp is fastest, for amd64 and arm64. Each build gets the
# current fixes of Node and Debian.
ARG BASE=node:26-slim

FROM ${BASE} AS install
WORKDIR /site
COPY . .
# Installs by the lockfile. corepack uses the version in packageManager of package.json. For a private
# registry, pass its .npmrc as a secret, so that no layer contains it.
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
  if [ -f pnpm-lock.yaml ]; then npx --yes corepack@0.36.0 pnpm install --frozen-lockfile --prod; \
  elif [ ! -f yarn.lock ]; then npm ci --omit=dev; \
  elif grep -q '^# yarn lockfile v1' yarn.lock; then \
    npx --yes corepack@0.36.0 yarn install --frozen-lockfile --production; \
  else npx --yes corepack@0.36.0 yarn install --immutable; \
  fi

FROM ${BASE} AS site
COPY --from=install /site /site
RUN mkdir /data && chown 1000:1000 /data
# The project belongs to root and is read-only. Commands write to their working folder, and temporary files to
# /tmp.
ENV SITE_CONFIG=/site/site.config.ts HOME=/tmp NODE_ENV=production
WORKDIR /data
USER 1000:1000
ENTRYPOINT ["/site/node_modules/.bin/vehicle-media-site"]
CMD ["build"]

# A worker is healthy while it runs and its queue responds.
FROM site AS worker
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:9464/metrics').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["worker", "--metrics-port", "9464"]

# The default target.
FROM site
