/**
 * The check of Node's version. It has no imports: other modules can need a newer Node only to be read.
 */

const { node } = process.versions;

/** A message if this Node is too old for the package. */
export const oldNode: string | undefined =
  Number(node.split('.')[0]) < 24
    ? `vehicle-media-site needs Node 24 or newer. This is ${node}.\nInstall a newer one: https://nodejs.org/en/download`
    : undefined;
