// The frame of the window: rail, page, player, overlays. Pages are loaded when they are first opened.

import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "@fontsource-variable/source-serif-4/wght.css";
import "./ui/tokens.css";
import "./ui/base.css";
import "./frame/app.css";
import { lazy, Suspense, type ComponentType } from "react";
import { createRoot } from "react-dom/client";
import { matchInterfaceLanguage } from "../main/contract/interface-languages.ts";
import { appUrl } from "./api/base.ts";
import { messageOf } from "./api/error.ts";
import { ConnectionNotice } from "./frame/connection-notice.tsx";
import { DesktopActions } from "./frame/desktop-actions.tsx";
import { DropTarget } from "./frame/drop-target.tsx";
import { ErrorBoundary, StartFailure } from "./frame/error-boundary.tsx";
import { KeysOverlay } from "./frame/keys-overlay.tsx";
import { LibraryNotice } from "./frame/library-notice.tsx";
import { Palette } from "./frame/palette.tsx";
import { PlayerBar } from "./frame/player-bar.tsx";
import { Rail } from "./frame/rail.tsx";
import { useRailWidth } from "./frame/rail-width.ts";
import { useRecordingTitle } from "./frame/recording-title.ts";
import { FrameActions } from "./frame/frame-actions.tsx";
import { startFrame, loadAppearance } from "./frame/start.ts";
import { useTheme } from "./frame/theme.ts";
import { Toasts } from "./frame/toasts.tsx";
import { loadMessages } from "./messages/messages.ts";
import { usePreferences } from "./stores/preferences.ts";
import { captionsPath, dictationPath, useRoute, type PageName } from "./stores/route.ts";
import { TooltipProvider } from "./ui/tooltip.tsx";

const lazyPage = (load: () => Promise<{ Page: ComponentType }>) =>
  lazy(async () => ({ default: (await load()).Page }));

const pageComponents: Record<PageName, ComponentType> = {
  transcribe: lazyPage(() => import("./features/transcribe/page.tsx")),
  narrate: lazyPage(() => import("./features/narrate/page.tsx")),
  library: lazyPage(() => import("./features/library/page.tsx")),
  models: lazyPage(() => import("./features/models/page.tsx")),
  channels: lazyPage(() => import("./features/channels/page.tsx")),
  server: lazyPage(() => import("./features/server/page.tsx")),
  settings: lazyPage(() => import("./features/settings/page.tsx")),
  welcome: lazyPage(() => import("./features/welcome/page.tsx")),
};

function App() {
  const { page: currentPage } = useRoute();
  const { isNarrow } = useRailWidth();
  useTheme();
  useRecordingTitle();
  const Page = pageComponents[currentPage];
  return (
    <TooltipProvider>
      <div className={`app ${isNarrow ? "app-narrow" : ""}`}>
        <FrameActions />
        <DesktopActions />
        <Rail />
        <div className="app-notices">
          <ConnectionNotice />
          <LibraryNotice />
        </div>
        <div className="app-page">
          <ErrorBoundary key={currentPage}>
            <Suspense>
              <Page />
            </Suspense>
          </ErrorBoundary>
        </div>
        <PlayerBar />
        <DropTarget />
        <Palette />
        <KeysOverlay />
        <Toasts />
      </div>
    </TooltipProvider>
  );
}

/** Windows with a path of their own and no frame; the desktop or a browser opens them. */
const smallWindows: Readonly<Record<string, ComponentType>> = {
  [appUrl(dictationPath)]: lazyPage(() => import("./features/dictate/page.tsx")),
  [appUrl(captionsPath)]: lazyPage(() => import("./features/captions/page.tsx")),
};
const SmallPage = smallWindows[location.pathname];

function SmallWindow({ content: Content }: { content: ComponentType }) {
  useTheme();
  useRecordingTitle();
  return (
    <TooltipProvider>
      <ErrorBoundary>
        <Suspense>
          <Content />
        </Suspense>
      </ErrorBoundary>
    </TooltipProvider>
  );
}

/** Loads what the first rendering needs, then renders the window. */
export async function start(): Promise<void> {
  const element = document.getElementById("root");
  if (element === null) throw new Error("The page has no root.");
  const root = createRoot(element);
  try {
    await (SmallPage === undefined ? startFrame() : loadAppearance());
  } catch (error) {
    await loadMessages(matchInterfaceLanguage(navigator.languages));
    root.render(<StartFailure message={messageOf(error)} />);
    return;
  }
  const show = () => {
    const { language = matchInterfaceLanguage(navigator.languages) } = usePreferences.getState();
    document.documentElement.lang = language;
    // The key remounts the tree when the language changes, because texts are read while rendering.
    root.render(
      SmallPage === undefined ? (
        <App key={language} />
      ) : (
        <SmallWindow key={language} content={SmallPage} />
      ),
    );
  };
  show();
  usePreferences.subscribe(async (now, before) => {
    if (now.language === before.language) return;
    await loadMessages(now.language ?? matchInterfaceLanguage(navigator.languages));
    show();
  });
}
