// Displays a key combination as on the user's keyboard.

import "./keys.css";
import { t } from "../messages/messages.ts";
import { keyCaps } from "./key-caps.ts";

const isMac = navigator.platform.startsWith("Mac");

export function Keys({ keys }: { keys: string }) {
  return (
    <span className="keys">
      {keyCaps(keys, isMac, {
        space: t("frame.key.space"),
        enter: t("frame.key.enter"),
        escape: t("frame.key.escape"),
        delete: t("frame.key.delete"),
      }).map((cap) => (
        <kbd key={cap} className="keys-key">
          {cap}
        </kbd>
      ))}
    </span>
  );
}
