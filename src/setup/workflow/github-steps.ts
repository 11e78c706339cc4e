import { installLines, type Project } from './project.ts';
import { block, indented } from './text.ts';

/** Actions by commit: a tag can be moved to other code, which would then see the secrets. */
export const ACTIONS = {
  checkout: 'actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1',
  setupNode: 'actions/setup-node@820762786026740c76f36085b0efc47a31fe5020 # v7.0.0',
  restoreCache: 'actions/cache/restore@27d5ce7f107fe9357f9df03efb73ab90386fccae # v5.0.5',
  saveCache: 'actions/cache/save@27d5ce7f107fe9357f9df03efb73ab90386fccae # v5.0.5',
  upload: 'actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f # v7.0.0',
  download: 'actions/download-artifact@3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c # v8.0.1',
  uploadPages: 'actions/upload-pages-artifact@fc324d3547104276b827a68afc52ff2a11cc49c9 # v5.0.0',
  deployPages: 'actions/deploy-pages@cd2ce8fcbc39b97be8ca5fce6e763baed58fa128 # v5.0.0',
} as const;

/** A value that GitHub fills in. */
export const expression = (text: string): string => `\${{ ${text} }}`;
/** Lines of `env` with secrets of the repository. */
export const secretLines = (names: readonly string[]): string[] =>
  names.map((name) => `${name}: ${expression(`secrets.${name}`)}`);

/** Steps that install Node. */
export const setupNode = ({ engines }: Project): string[] => [
  `- uses: ${ACTIONS.setupNode}`,
  '  with:',
  engines ? '    node-version-file: package.json' : '    node-version: 24',
  '    package-manager-cache: false',
];

/** Steps that fetch and install the project. */
export const installSteps = (project: Project): string[] => [
  `- uses: ${ACTIONS.checkout}`,
  '  with:',
  '    persist-credentials: false',
  ...setupNode(project),
  '- name: Install',
  ...indented(2, block('run: ', installLines(project))),
];
