// Actions available on every page: navigation, playback, undo, overlays.

import { useEffect } from "react";
import {
  interfaceLanguageCodes,
  interfaceLanguages,
} from "../../main/contract/interface-languages.ts";
import { t } from "../messages/messages.ts";
import { RegisterAction, type Action } from "../stores/actions.ts";
import { openOverlay } from "../stores/overlays.ts";
import { setRate, skip, skipSec, togglePlay, usePlayer } from "../stores/player.ts";
import { changePreferences, usePreferences } from "../stores/preferences.ts";
import { useRecordings } from "../stores/recording.ts";
import { go } from "../stores/route.ts";
import { useUndo } from "../stores/undo.ts";
import { runOnPage } from "./page-commands.ts";
import { pageLinks } from "./page-links.ts";
import { useRailWidth } from "./rail-width.ts";
import { listenToKeys } from "./shortcuts.ts";

const themes = ["light", "dark", "system"] as const;

export function FrameActions() {
  useEffect(listenToKeys, []);
  // The order in which the palette and the keys overlay show them.
  const actions = [
    ...useNavigationActions(),
    ...useWindowActions(),
    ...useUndoActions(),
    ...usePlayerActions(),
  ];
  return actions.map((action) => <RegisterAction key={action.id} {...action} />);
}

/** Pages, and actions that open their page first. */
function useNavigationActions(): readonly Action[] {
  const isRecording = useRecordings(({ recordings }) =>
    recordings.some(({ kind }) => kind === "recording"),
  );
  const group = t("frame.group.window");
  return [
    ...pageLinks().map(({ page, title, key }) => ({
      id: `go.${page}`,
      title,
      group: t("frame.group.go"),
      keys: `g ${key}`,
      run: () => go(`/${page}`),
    })),
    // While its page is open, the page's own action of the same id takes precedence.
    {
      id: "transcribe.record",
      title: isRecording ? t("transcribe.record.show") : t("transcribe.record"),
      group,
      run: () => runOnPage("transcribe", "transcribe.record"),
    },
    {
      id: "transcribe.pick",
      title: t("frame.choice", { name: t("frame.page.transcribe"), value: t("transcribe.pick") }),
      group,
      run: () => runOnPage("transcribe", "transcribe.pick"),
    },
    {
      id: "narrate.new",
      title: t("narrate.new"),
      group,
      run: () => runOnPage("narrate", "narrate.new"),
    },
    {
      id: "narrate.pick",
      title: t("frame.choice", { name: t("frame.page.narrate"), value: t("narrate.pick") }),
      group,
      run: () => runOnPage("narrate", "narrate.pick"),
    },
  ];
}

/** Overlays, the rail and the preferences that change how the window looks. */
function useWindowActions(): readonly Action[] {
  const isRailNarrow = usePreferences((preferences) => preferences.isRailNarrow);
  const { isForced } = useRailWidth();
  const group = t("frame.group.window");
  return [
    {
      id: "palette",
      title: t("frame.palette"),
      group,
      keys: "mod+k",
      worksInText: true,
      run: () => openOverlay("palette"),
    },
    {
      id: "keys",
      title: t("frame.keys"),
      group,
      keys: "?",
      run: () => openOverlay("keys"),
    },
    {
      id: "rail",
      title: isRailNarrow ? t("frame.rail.widen") : t("frame.rail.narrow"),
      group,
      keys: "[",
      disabledReason: isForced ? t("frame.rail.forced") : undefined,
      run: () => void changePreferences({ isRailNarrow: !isRailNarrow }),
    },
    ...themes.map((theme) => ({
      id: `theme.${theme}`,
      title: t("frame.choice", { name: t("settings.theme"), value: t(`settings.theme.${theme}`) }),
      group,
      run: () => void changePreferences({ theme }),
    })),
    ...interfaceLanguageCodes.map((language) => ({
      id: `language.${language}`,
      title: t("frame.choice", {
        name: t("settings.language"),
        value: interfaceLanguages[language],
      }),
      group,
      run: () => void changePreferences({ language }),
    })),
    {
      id: "departures",
      title: t("settings.departures"),
      group,
      run: () => go("/settings/departures"),
    },
    { id: "welcome", title: t("frame.welcome"), group, run: () => go("/welcome") },
  ];
}

function useUndoActions(): readonly Action[] {
  const undoTitle = useUndo((stack) => stack.past.at(-1)?.title);
  const redoTitle = useUndo((stack) => stack.future.at(-1)?.title);
  const group = t("frame.group.window");
  return [
    {
      id: "undo",
      title:
        undoTitle === undefined ? t("frame.undo") : t("frame.undo.titled", { title: undoTitle }),
      group,
      keys: "mod+z",
      disabledReason: undoTitle === undefined ? t("frame.undo.nothing") : undefined,
      run: () => void useUndo.getState().undo(),
    },
    {
      id: "redo",
      title:
        redoTitle === undefined ? t("frame.redo") : t("frame.redo.titled", { title: redoTitle }),
      group,
      keys: "mod+shift+z",
      disabledReason: redoTitle === undefined ? t("frame.redo.nothing") : undefined,
      run: () => void useUndo.getState().redo(),
    },
  ];
}

function usePlayerActions(): readonly Action[] {
  const isPlayable = usePlayer((player) => player.source !== undefined);
  const isPlaying = usePlayer((player) => player.isPlaying);
  const disabledReason = isPlayable ? undefined : t("frame.player.nothing");
  const group = t("frame.group.player");
  return [
    {
      id: "play",
      title: isPlaying ? t("frame.player.pause") : t("frame.player.play"),
      group,
      keys: "Space",
      disabledReason,
      run: togglePlay,
    },
    {
      id: "back",
      title: t("frame.player.back", { sec: skipSec }),
      group,
      keys: ",",
      disabledReason,
      run: () => skip(-skipSec),
    },
    {
      id: "ahead",
      title: t("frame.player.ahead", { sec: skipSec }),
      group,
      keys: ".",
      disabledReason,
      run: () => skip(skipSec),
    },
    {
      id: "slower",
      title: t("frame.player.slower"),
      group,
      keys: "<",
      disabledReason,
      run: () => setRate(Math.max(0.25, usePlayer.getState().rate - 0.25)),
    },
    {
      id: "faster",
      title: t("frame.player.faster"),
      group,
      keys: ">",
      disabledReason,
      run: () => setRate(Math.min(4, usePlayer.getState().rate + 0.25)),
    },
  ];
}
