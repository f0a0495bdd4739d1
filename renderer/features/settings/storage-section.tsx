// Where data is stored, how long removed items are kept, how providers' keys are protected, and crash reports.

import { FolderOpen } from "lucide-react";
import type { DesktopFolder } from "../../../main/contract/desktop-bridge.ts";
import { desktopBridge, useDesktop } from "../../bridge/desktop.ts";
import { formatCount } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { useInfo } from "../../stores/info.ts";
import { changePreferences, usePreferences } from "../../stores/preferences.ts";
import { useTask } from "../../stores/task.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Select } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page-frame.tsx";

export function StorageSection() {
  const { info, error } = useInfo();
  const state = useDesktop((each) => each.state);
  return (
    <Section title={t("settings.folders")} about={t("settings.folders.about")}>
      {error !== undefined && <Notice tone="bad">{error}</Notice>}
      {info !== undefined && (
        <div className="settings-rows">
          <div className="settings-path">
            <code>{info.dataDir}</code>
            <CopyButton label={t("settings.folders.copy")} text={info.dataDir} />
            {state !== undefined && <OpenFolder folder="data" />}
          </div>
          <KeepRemovedField />
          {state?.keyring === "none" ? (
            <Notice tone="warn">
              {t(state.system === "linux" ? "settings.keys.noKeyring" : "settings.keys.notSealed")}
            </Notice>
          ) : (
            <p className="field-help">{t(`settings.keys.${info.keysAre}`)}</p>
          )}
          {state !== undefined && (
            <div className="settings-row">
              <span className="field-help">
                {t("settings.crashes", {
                  count: state.crashReports,
                  shown: formatCount(state.crashReports),
                })}
              </span>
              {state.crashReports > 0 && <OpenFolder folder="crashes" />}
            </div>
          )}
        </div>
      )}
    </Section>
  );
}

const keepChoices = [1, 7, 30, 90, 365, 0];

/** How long removed items can be restored. */
function KeepRemovedField() {
  const days = usePreferences((preferences) => preferences.keepRemovedDays);
  return (
    <div className="settings-row settings-row-field">
      <Select
        label={t("settings.removed")}
        isInline
        value={days}
        onChange={({ currentTarget: { value } }) =>
          void changePreferences({ keepRemovedDays: Number(value) })
        }
      >
        {(keepChoices.includes(days) ? keepChoices : [days, ...keepChoices]).map((choice) => (
          <option key={choice} value={choice}>
            {t("settings.removed.days", { days: choice })}
          </option>
        ))}
      </Select>
    </div>
  );
}

function OpenFolder({ folder }: { folder: DesktopFolder }) {
  const { run, error } = useTask();
  return (
    <>
      <Button
        isSmall
        kind="quiet"
        icon={<FolderOpen aria-hidden />}
        aria-label={t(`settings.open.${folder}`)}
        onClick={() => void run(async () => desktopBridge()?.openFolder(folder))}
      >
        {t("settings.open")}
      </Button>
      {error !== undefined && <span className="field-error">{error}</span>}
    </>
  );
}
