// The licences of all that comes along with the app: packages, as the lock file lists them and as far as they are
// installed for this kind of machine, what is compiled into them, and the weights of the models.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type AppInfo, appInfo } from './contract/studio-api.ts';
import { catalog } from './models/catalog.ts';

type Licences = AppInfo['licences'];

const projectDir = join(import.meta.dirname, '..');

const lockFile = z.object({ packages: z.record(z.string(), z.object({ dev: z.boolean().default(false) })) });
const packageFile = z.object({ name: z.string(), license: z.string().default('not stated'), description: z.string().default('') });

/** In packages whose own licence is another one. */
const compiledIn: Licences = [
  { name: 'FFmpeg', licence: 'GPL-3.0-or-later', what: 'decoding, encoding and filtering of sound; part of node-av' },
  { name: 'ONNX Runtime', licence: 'MIT', what: 'runs the models; part of onnxruntime-node' },
];

/** By name. Empty but for the models where there is neither a list nor a lock file. */
export async function readShippedLicences(): Promise<Licences> {
  // The staged desktop app has no lock file: the list was made when it was staged.
  const listed = await readFile(join(projectDir, 'licences.json'), 'utf8').then((text) => appInfo.shape.licences.parse(JSON.parse(text)), () => undefined);
  if (listed !== undefined) return listed;
  const models = catalog.map(({ name, licence, ownedBy }) => ({ name, licence, what: `model weights, by ${ownedBy}` }));
  const packages = await installedPackages().catch(() => []);
  return [...models, ...compiledIn, ...packages].sort((a, b) => a.name.localeCompare(b.name));
}

async function installedPackages(): Promise<Licences> {
  const { packages } = lockFile.parse(JSON.parse(await readFile(join(projectDir, 'package-lock.json'), 'utf8')));
  const folders = Object.entries(packages).filter(([folder, { dev }]) => folder !== '' && !dev).map(([folder]) => folder);
  const read = await Promise.all(folders.map((folder) => readFile(join(projectDir, folder, 'package.json'), 'utf8').then((text) => packageFile.safeParse(JSON.parse(text)).data, () => undefined)));
  const found = read.filter((one) => one !== undefined).map(({ name, license, description }) => ({ name, licence: license, what: description }));
  // Several versions of one are one licence.
  return [...new Map(found.map((one) => [one.name, one])).values()];
}
