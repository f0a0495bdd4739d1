// Packs the desktop app for the system this runs on: stages it, writes the notices, lets electron-builder do its work by
// electron-builder.yml, and tells the sizes. `npm run package -- --help` tells the options.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build, type Configuration, Platform } from 'electron-builder';
import { distDir, projectDir } from '../main/headless/built-folder.ts';
import { desktop, stagedDesktop } from '../main/headless/staged-desktop.ts';
import { unloadedPackages } from '../main/installed-packages.ts';
import { notices } from './notices.ts';
import { sizes } from './packed-sizes.ts';

const help = `npm run package -- [OPTION...]
  --dir                  only the folder that would be packed, no installers
  --without-weights      leave the weights of the models out
  --inspectable          a build that tests can drive; not to be given to anybody
  --feed URL             also write what the app reads at that address to find updates
  --electron-dist DIR    take Electron from there
  --out DIR              where to put it (dist/packages)
`;

/** Of electron-builder, which does not export it. */
type ConfigModule = { getConfig(dir: string, file: string, overrides: Configuration): Promise<Configuration> };
const builderRequire = createRequire(createRequire(import.meta.url).resolve('electron-builder'));

const options = {
  dir: { type: 'boolean' },
  'without-weights': { type: 'boolean' },
  inspectable: { type: 'boolean' },
  feed: { type: 'string' },
  'electron-dist': { type: 'string' },
  out: { type: 'string' },
  help: { type: 'boolean' },
} as const;
type Options = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

try {
  const { values } = parseArgs({ options });
  if (values.feed !== undefined && URL.parse(values.feed)?.protocol !== 'https:') throw new TypeError(`--feed has to be an https address: '${values.feed}' is none`);
  if (values.help === true) process.stdout.write(help);
  else await pack(values);
} catch (error) {
  const { code, message, stack } = error as NodeJS.ErrnoException;
  const isMisasked = error instanceof TypeError && (code?.startsWith('ERR_PARSE_ARGS') === true || message.startsWith('--feed'));
  const isAway = /^(ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH)/.test(code ?? '') || /getaddrinfo|fetch failed/.test(message);
  if (isMisasked) process.stderr.write(`npm run package: ${message}\n${help}`);
  else if (isAway) process.stderr.write(`npm run package: what packing needs, Electron first of all, is fetched once and could not be: ${message}. --electron-dist DIR takes an Electron that is here.\n`);
  else process.stderr.write(`npm run package: ${stack ?? message}\n`);
  process.exitCode = isMisasked ? 2 : 1;
}

async function pack(values: Options): Promise<void> {
  await stagedDesktop(() => process.stdout.write('Building the window.\n'), new AbortController().signal);
  const { dependencies } = JSON.parse(await readFile(join(desktop.dir, 'package.json'), 'utf8')) as { dependencies: Record<string, string> };
  const packages = Object.keys(dependencies);
  await mkdir(join(distDir, 'notices'), { recursive: true });
  await writeFile(join(distDir, 'notices', 'THIRD-PARTY-NOTICES.txt'), await notices(packages));

  const unloaded = (await unloadedPackages(desktop.dir, packages)).map((name) => `!node_modules/${name}/**`);
  const config = await configuration(values, [...unloaded, `!node_modules/onnxruntime-node/bin/napi-v6/!(${process.platform})/**`]);
  const isFolder = values.dir === true;
  const made = await build({ projectDir: desktop.dir, config, targets: Platform.current().createTarget(isFolder ? 'dir' : undefined), publish: 'never' });
  process.stdout.write(await sizes(resolve(desktop.dir, config.directories?.output ?? ''), isFolder ? [] : made));
}

/** What electron-builder.yml says, and what was asked for now. @param leftOut patterns */
async function configuration(values: Options, leftOut: readonly string[]): Promise<Configuration> {
  const { getConfig } = builderRequire('app-builder-lib/out/util/config/config.js') as ConfigModule;
  const { out, feed } = values;
  const config = await getConfig(desktop.dir, join(projectDir, 'electron-builder.yml'), {
    ...(out === undefined ? {} : { directories: { output: resolve(out) } }),
    ...(values['electron-dist'] === undefined ? {} : { electronDist: resolve(values['electron-dist']) }),
    ...(values.inspectable === true ? { electronFuses: { enableNodeCliInspectArguments: true } } : {}),
    ...(feed === undefined ? {} : { publish: { provider: 'generic', url: feed } }),
  });
  const [files, ...more] = fileSets(config.files);
  const weights = fileSets(config.extraResources);
  return {
    ...config,
    files: [{ ...files, filter: [...[files?.filter ?? []].flat(), ...leftOut] }, ...more],
    extraResources: values['without-weights'] === true ? weights.filter(({ from }) => !from?.endsWith('/weights')) : weights,
  };
}

type Files = Configuration['files'];
type FileSet = Exclude<Extract<NonNullable<Files>, readonly unknown[]>[number], string>;

/** In the form they have once electron-builder has read them. */
function fileSets(files: Files): FileSet[] {
  return [files ?? []].flat().map((one) => (typeof one === 'string' ? { filter: one } : one));
}
