// Where data is stored, how providers' keys are protected, and crash reports.

import { FolderOpen } from "lucide-react";
import type { DesktopFolder } from "../../../main/contract/shell-bridge.ts";
import { desktopBridge, useDesktop } from "../../bridge/desktop.ts";
import { formatCount } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { useInfo } from "../../stores/info.ts";
import { useTask } from "../../stores/task.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
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
