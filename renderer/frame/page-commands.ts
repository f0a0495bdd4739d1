// Commands from the desktop's menu and tray: open a page or run one of its actions.

import { pageCommand, type PageCommand } from "../../main/contract/desktop-bridge.ts";
import { desktopBridge } from "../bridge/desktop.ts";
import { type Action, useActions } from "../stores/actions.ts";
import { go, type PageName } from "../stores/route.ts";
import { runAction } from "./shortcuts.ts";

/** A page that was just opened registers its actions a moment later. */
const actionTimeoutMs = 5_000;

/** @returns unsubscribe; undefined in a browser */
export function handleDesktopCommands(): (() => void) | undefined {
  let stopWaiting: (() => void) | undefined;
  const stop = desktopBridge()?.onCommand((rawCommand: PageCommand) => {
    stopWaiting?.();
    stopWaiting = undefined;
    const { data: command } = pageCommand.safeParse(rawCommand);
    if (command?.type === "go") go(command.path);
    if (command?.type === "run") stopWaiting = runWhenRegistered(command.actionId);
  });
  return (
    stop &&
    (() => {
      stop();
      stopWaiting?.();
    })
  );
}

/** Opens a page and runs its action of that id. */
export function runOnPage(page: PageName, id: string): void {
  go(`/${page}`);
  runWhenRegistered(id, ({ group }) => group === undefined);
}

/** @returns stops waiting for the action; undefined if it has run already */
function runWhenRegistered(
  id: string,
  isMatch: (action: Action) => boolean = () => true,
): (() => void) | undefined {
  const find = (): Action | undefined => {
    const action = useActions.getState().actions.get(id);
    return action !== undefined && isMatch(action) ? action : undefined;
  };
  const run = (): boolean => {
    const action = find();
    if (action !== undefined) runAction(action);
    return action !== undefined;
  };
  if (run()) return undefined;
  const stop = (): void => {
    clearTimeout(timer);
    unsubscribe();
  };
  const unsubscribe = useActions.subscribe(() => {
    if (find() === undefined) return;
    stop();
    run();
  });
  const timer = setTimeout(stop, actionTimeoutMs);
  return stop;
}
