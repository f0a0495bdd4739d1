// Displays a key combination as on the user's keyboard.

import "./keys.css";
import { t } from "../messages/messages.ts";
import { keyCaps } from "./key-caps.ts";

const isMac = navigator.platform.startsWith("Mac");

export function Keys({ keys }: { keys: string }) {
  return (
    <span className="keys">
      {keyCaps(keys, isMac, {
        space: t("shell.key.space"),
        enter: t("shell.key.enter"),
        escape: t("shell.key.escape"),
        delete: t("shell.key.delete"),
      }).map((cap) => (
        <kbd key={cap} className="keys-key">
          {cap}
        </kbd>
      ))}
    </span>
  );
}
