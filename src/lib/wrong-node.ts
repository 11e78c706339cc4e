/**
 * The check of Node. It has no imports: other modules can need a newer Node only to be read.
 */

const { node, pnp } = process.versions;

/** A message if this Node is too old for the package, or if yarn runs it without `node_modules`. */
export const wrongNode: string | undefined =
  Number(node.split('.')[0]) < 24
    ? `vehicle-media-site needs Node 24 or newer. This is ${node}.\nInstall a newer one: https://nodejs.org/en/download`
    : pnp &&
      'vehicle-media-site needs its packages in node_modules. This project uses Plug’n’Play of yarn.\nWrite "nodeLinker: node-modules" in .yarnrc.yml, then run: yarn install';
