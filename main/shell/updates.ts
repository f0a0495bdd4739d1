// Updates, each step asked for: looked for at the address the person gave, fetched, installed. electron-updater is
// loaded when it is first needed; what goes wrong is part of the state.

import { writeFile } from 'node:fs/promises';
import type { AppUpdater } from 'electron-updater';
import type { UpdateState } from '../contract/shell-bridge.ts';
import type { Quit } from './quit.ts';

type Updater = Pick<AppUpdater, 'autoDownload' | 'autoInstallOnAppQuit' | 'updateConfigPath' | 'checkForUpdates' | 'downloadUpdate' | 'quitAndInstall' | 'on'>;

export type UpdatesDeps = {
  /** The preference: an https address; empty: none. */
  feed(): string;
  /** The updater reads its address from a file, which is written here. */
  configPath: string;
  onChange(): void;
  /** Pages may object, and what runs is to end, before the new version takes its place. */
  quitFor: Quit['quitFor'];
  load?(): Promise<Updater>;
};

export type Updates = {
  state(): UpdateState;
  check(): Promise<void>;
  /** Does nothing where none is available. */
  download(): Promise<void>;
  /** Does nothing where none was fetched. */
  install(): Promise<void>;
};

/** Of what is fetched, below the system's caches. */
const cacheName = 'hearsay-updater';

export function createUpdates({ feed, configPath, onChange, quitFor, load = loadUpdater }: UpdatesDeps): Updates {
  let state: UpdateState = { step: 'idle' };
  let updater: Promise<Updater> | undefined;
  /** Once it is being installed: there is nothing left to go back to. */
  let giveUp: (() => void) | undefined;

  function become(next: UpdateState): void {
    state = next;
    onChange();
  }

  const fail = (error: unknown): void => become({ step: 'failed', message: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error) });

  async function prepare(): Promise<Updater> {
    const loaded = await load();
    loaded.autoDownload = false;
    loaded.autoInstallOnAppQuit = false;
    loaded.on('update-available', ({ version }) => become({ step: 'available', version }));
    loaded.on('update-not-available', () => become({ step: 'current' }));
    loaded.on('download-progress', ({ percent }) => {
      if (state.step === 'downloading') become({ ...state, progress: percent / 100 });
    });
    loaded.on('update-downloaded', ({ version }) => become({ step: 'ready', version }));
    loaded.on('error', (error) => {
      fail(error);
      giveUp?.();
    });
    return loaded;
  }

  return {
    state: () => state,
    async check() {
      if (state.step === 'checking' || state.step === 'downloading') return;
      const url = feed();
      if (url === '') {
        become({ step: 'idle' });
        return;
      }
      become({ step: 'checking' });
      try {
        const ready = await (updater ??= prepare());
        // JSON is YAML, which it expects.
        await writeFile(configPath, JSON.stringify({ provider: 'generic', url, updaterCacheDirName: cacheName }));
        ready.updateConfigPath = configPath;
        // Nothing comes of it where the app is not installed.
        if ((await ready.checkForUpdates()) === null) fail(new Error('Only an installed Hearsay can be updated.'));
      } catch (error) {
        fail(error);
      }
    },
    async download() {
      if (state.step !== 'available') return;
      become({ step: 'downloading', version: state.version, progress: 0 });
      try {
        await (await updater)?.downloadUpdate();
      } catch (error) {
        fail(error);
      }
    },
    async install() {
      const ready = await updater;
      if (state.step !== 'ready' || ready === undefined) return;
      quitFor((leave) => {
        giveUp = leave;
        ready.quitAndInstall();
      });
    },
  };
}

/** It is a CommonJS module: its one name is the default's. */
const loadUpdater = async (): Promise<Updater> => (await import('electron-updater')).default.autoUpdater;
