// Overlay with the keys that are active on this page, opened by `?`. The settings page shows the same list.

import "./keys-overlay.css";
import { t } from "../messages/messages.ts";
import { closeOverlay, useOverlay } from "../stores/overlays.ts";
import { useActions } from "../stores/actions.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Keys } from "../ui/keys.tsx";
import { groupActions } from "./action-groups.ts";

export function KeysOverlay() {
  const isOpen = useOverlay((overlay) => overlay.open === "keys");
  return (
    <Dialog title={t("frame.keys")} isOpen={isOpen} onClose={closeOverlay} isWide>
      <KeyList />
    </Dialog>
  );
}

function KeyList() {
  const actions = useActions((state) => state.actions);
  const withKeys = [...actions.values()].filter((action) => action.keys !== undefined);
  return (
    <div className="keys-overlay">
      {groupActions(withKeys, t("frame.group.page")).map(([group, entries]) => (
        <section key={group} className="keys-overlay-group">
          <h3>{group}</h3>
          <ul>
            {entries.map((action) => (
              <li key={action.id} className="keys-overlay-row">
                {action.title}
                <Keys keys={action.keys ?? ""} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
