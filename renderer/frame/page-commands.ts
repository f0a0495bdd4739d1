// What the desktop's menu and tray ask of this window: to open a page, or to do what one of its actions does.

import { pageCommand, type PageCommand } from "../../main/contract/shell-bridge.ts";
import { desktop } from "../bridge/desktop.ts";
import { type Action, useActions } from "../stores/actions.ts";
import { go, type PageName } from "../stores/route.ts";
import { perform } from "./shortcuts.ts";

/** A page that was just opened registers its actions a moment later. */
const patienceMs = 5_000;

/** @returns how to stop; nothing to stop in a browser */
export function obeyDesktop(): (() => void) | undefined {
  let stopWaiting: (() => void) | undefined;
  const stop = desktop()?.onCommand((given: PageCommand) => {
    stopWaiting?.();
    stopWaiting = undefined;
    const { data: command } = pageCommand.safeParse(given);
    if (command?.type === "go") go(command.path);
    if (command?.type === "run") stopWaiting = runWhenThere(command.actionId);
  });
  return (
    stop &&
    (() => {
      stop();
      stopWaiting?.();
    })
  );
}

/** Opens a page and does what its own action of that id does. */
export function runOnPage(page: PageName, id: string): void {
  go(`/${page}`);
  runWhenThere(id, ({ group }) => group === undefined);
}

/** @returns how to stop waiting for it */
function runWhenThere(
  id: string,
  isMeant: (action: Action) => boolean = () => true,
): (() => void) | undefined {
  const find = (): Action | undefined => {
    const action = useActions.getState().actions.get(id);
    return action !== undefined && isMeant(action) ? action : undefined;
  };
  const run = (): boolean => {
    const action = find();
    if (action !== undefined) perform(action);
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
  const timer = setTimeout(stop, patienceMs);
  return stop;
}
