import type { EleventyHookConfig } from '../../site/extend.ts';
import { eleventyPath, loadEleventy } from '../eleventy/eleventy.ts';
import type { TemplateFunctions } from '../theme/functions.ts';

type Added = Pick<TemplateFunctions, 'filters' | 'shortcodes' | 'pairedShortcodes' | 'globals'>;

/** What of Eleventy's configuration is used of one that a hook was given. */
interface HookedConfig extends EleventyHookConfig {
  on(event: 'eleventy.beforeConfig', listener: () => unknown): void;
  /** Those that are going to be run. */
  plugins: unknown[];
  nunjucks: Added;
}

/** What changes a configuration; the rest only reads it. */
const CHANGES = /^(?:add|amend|configure|emit|on|once|set)(?![a-z])/;
/** What templates can call, and what the functions of that use for languages that we do not have. */
const CALLED =
  /^add(?:Paired)?(?:Nunjucks|Liquid|JavaScript)?(?:Filter|Shortcode|Function|Global|Tag)$/;
const WITH_EFFECT = /^(?:addPlugin|addMarkdownHighlighter)$/;

function refusal(method: string, name: unknown): string {
  if (method.includes('Async')) {
    return `${JSON.stringify(name)} is asynchronous, and templates do not wait. Fetch in data(), which may.`;
  }
  if (method === 'addGlobalData') return 'What data() gives is in every template, as site.data.';
  return `${method}() acts on templates, files and commands of Eleventy's own, of which this site has none: a hook adds filters, shortcodes and plugins of these.`;
}

/** Has everything fail that would be without effect on our pages. */
function refuseTheRest(config: HookedConfig): void {
  const methods = [
    ...Object.getOwnPropertyNames(Object.getPrototypeOf(config)),
    ...Object.keys(config),
  ];
  const refused = methods.filter(
    (name) =>
      CHANGES.test(name) &&
      !WITH_EFFECT.test(name) &&
      (!CALLED.test(name) || name === 'addNunjucksTag'),
  );
  const stops = refused.map((method) => [
    method,
    (name: unknown) => {
      throw new Error(refusal(method, name));
    },
  ]);
  Object.assign(config, Object.fromEntries(stops));
}

/** Those of a list that were not there before, or are others now. */
const newOf = <Value>(
  before: Readonly<Record<string, Value>>,
  now: Readonly<Record<string, Value>>,
): Record<string, Value> =>
  Object.fromEntries(Object.entries(now).filter(([name, value]) => before[name] !== value));

/**
 * Runs a hook on a configuration of Eleventy's own, plugins included, and takes from it what templates can
 * call. Nothing else of that configuration is used.
 *
 * @throws what the hook or a plugin throws; an Error where it calls what would be without effect.
 */
export async function runEleventyHook(
  hook: (config: EleventyHookConfig) => unknown,
): Promise<Added> {
  const Eleventy = await loadEleventy();
  let added: (() => Added) | undefined;
  const eleventy = new Eleventy(eleventyPath('templates'), undefined, {
    dryRun: true,
    // No file: pages are made elsewhere.
    configPath: '',
    quietMode: true,
    config: (given) => {
      const config = given as unknown as HookedConfig;
      // What Eleventy adds itself is there by then, and plugins are yet to be run.
      config.on('eleventy.beforeConfig', async () => {
        const { nunjucks } = config;
        const [filters, globals] = [{ ...nunjucks.filters }, { ...nunjucks.globals }];
        added = () => ({
          filters: newOf(filters, nunjucks.filters),
          shortcodes: nunjucks.shortcodes,
          pairedShortcodes: nunjucks.pairedShortcodes,
          globals: newOf(globals, nunjucks.globals),
        });
        // Eleventy's own, which act on its files.
        config.plugins.length = 0;
        refuseTheRest(config);
        await hook(config);
      });
    },
  });
  try {
    await eleventy.init();
  } catch (error) {
    // What Eleventy puts around an error of a plugin names neither file nor line.
    throw (error as { originalError?: unknown }).originalError ?? error;
  }
  if (!added) throw new Error('Eleventy did not read its configuration');
  return added();
}
