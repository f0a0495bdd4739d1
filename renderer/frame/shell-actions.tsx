// Actions available on every page: navigation, playback, undo, overlays.

import { useEffect } from "react";
import { languageNames, languages, t } from "../messages/messages.ts";
import { RegisterAction, type Action } from "../stores/actions.ts";
import { openOverlay } from "../stores/overlays.ts";
import { seek, setRate, togglePlay, usePlayer } from "../stores/player.ts";
import { changePreferences, usePreferences } from "../stores/preferences.ts";
import { useRecordings } from "../stores/recording.ts";
import { go } from "../stores/route.ts";
import { useUndo } from "../stores/undo.ts";
import { runOnPage } from "./page-commands.ts";
import { pageLinks } from "./page-links.ts";
import { useRailWidth } from "./rail-width.ts";
import { listenToKeys } from "./shortcuts.ts";

const themes = ["light", "dark", "system"] as const;

export function ShellActions() {
  useEffect(listenToKeys, []);
  const isPlayable = usePlayer((player) => player.source !== undefined);
  const isPlaying = usePlayer((player) => player.isPlaying);
  const isRailNarrow = usePreferences((preferences) => preferences.isRailNarrow);
  const { isForced } = useRailWidth();
  const undoTitle = useUndo((stack) => stack.past.at(-1)?.title);
  const redoTitle = useUndo((stack) => stack.future.at(-1)?.title);
  const isRecording = useRecordings(({ recordings }) =>
    recordings.some(({ kind }) => kind === "recording"),
  );
  const noPlaybackReason = isPlayable ? undefined : t("shell.player.nothing");
  const windowGroup = t("shell.group.window");
  const player = t("shell.group.player");
  const actions: readonly Action[] = [
    ...pageLinks().map(({ page, title, key }) => ({
      id: `go.${page}`,
      title,
      group: t("shell.group.go"),
      keys: `g ${key}`,
      run: () => go(`/${page}`),
    })),
    // While its page is open, the page's own action of the same id takes precedence.
    {
      id: "transcribe.record",
      title: isRecording ? t("transcribe.record.show") : t("transcribe.record"),
      group: windowGroup,
      run: () => runOnPage("transcribe", "transcribe.record"),
    },
    {
      id: "transcribe.pick",
      title: t("shell.choice", { name: t("shell.page.transcribe"), value: t("transcribe.pick") }),
      group: windowGroup,
      run: () => runOnPage("transcribe", "transcribe.pick"),
    },
    {
      id: "narrate.new",
      title: t("narrate.new"),
      group: windowGroup,
      run: () => runOnPage("narrate", "narrate.new"),
    },
    {
      id: "narrate.pick",
      title: t("shell.choice", { name: t("shell.page.narrate"), value: t("narrate.pick") }),
      group: windowGroup,
      run: () => runOnPage("narrate", "narrate.pick"),
    },
    {
      id: "palette",
      title: t("shell.palette"),
      group: windowGroup,
      keys: "mod+k",
      worksInText: true,
      run: () => openOverlay("palette"),
    },
    {
      id: "keys",
      title: t("shell.keys"),
      group: windowGroup,
      keys: "?",
      run: () => openOverlay("keys"),
    },
    {
      id: "rail",
      title: isRailNarrow ? t("shell.rail.widen") : t("shell.rail.narrow"),
      group: windowGroup,
      keys: "[",
      disabledReason: isForced ? t("shell.rail.forced") : undefined,
      run: () => void changePreferences({ isRailNarrow: !isRailNarrow }),
    },
    ...themes.map((theme) => ({
      id: `theme.${theme}`,
      title: t("shell.choice", { name: t("settings.theme"), value: t(`settings.theme.${theme}`) }),
      group: windowGroup,
      run: () => void changePreferences({ theme }),
    })),
    ...languages.map((language) => ({
      id: `language.${language}`,
      title: t("shell.choice", { name: t("settings.language"), value: languageNames[language] }),
      group: windowGroup,
      run: () => void changePreferences({ language }),
    })),
    { id: "welcome", title: t("shell.welcome"), group: windowGroup, run: () => go("/welcome") },
    {
      id: "undo",
      title:
        undoTitle === undefined ? t("shell.undo") : t("shell.undo.titled", { title: undoTitle }),
      group: windowGroup,
      keys: "mod+z",
      disabledReason: undoTitle === undefined ? t("shell.undo.nothing") : undefined,
      run: () => void useUndo.getState().undo(),
    },
    {
      id: "redo",
      title:
        redoTitle === undefined ? t("shell.redo") : t("shell.redo.titled", { title: redoTitle }),
      group: windowGroup,
      keys: "mod+shift+z",
      disabledReason: redoTitle === undefined ? t("shell.redo.nothing") : undefined,
      run: () => void useUndo.getState().redo(),
    },
    {
      id: "play",
      title: isPlaying ? t("shell.player.pause") : t("shell.player.play"),
      group: player,
      keys: "Space",
      disabledReason: noPlaybackReason,
      run: togglePlay,
    },
    {
      id: "back",
      title: t("shell.player.back"),
      group: player,
      keys: ",",
      disabledReason: noPlaybackReason,
      run: () => seek(usePlayer.getState().positionSec - 5),
    },
    {
      id: "ahead",
      title: t("shell.player.ahead"),
      group: player,
      keys: ".",
      disabledReason: noPlaybackReason,
      run: () => seek(usePlayer.getState().positionSec + 5),
    },
    {
      id: "slower",
      title: t("shell.player.slower"),
      group: player,
      keys: "<",
      disabledReason: noPlaybackReason,
      run: () => setRate(Math.max(0.25, usePlayer.getState().rate - 0.25)),
    },
    {
      id: "faster",
      title: t("shell.player.faster"),
      group: player,
      keys: ">",
      disabledReason: noPlaybackReason,
      run: () => setRate(Math.min(4, usePlayer.getState().rate + 0.25)),
    },
  ];
  return actions.map((action) => <RegisterAction key={action.id} {...action} />);
}
