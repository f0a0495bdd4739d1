// Behaviour of the desktop's window: closing, start at login, notifications.

import { desktopBridge, setDesktopState, useDesktop } from "../../bridge/desktop.ts";
import { t } from "../../messages/messages.ts";
import { usePreferences } from "../../stores/preferences.ts";
import { useTask } from "../../stores/task.ts";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page-frame.tsx";
import { Switch } from "../../ui/switch.tsx";
import { changeDesktopPreferences } from "./change-desktop-preferences.ts";

export function DesktopSection() {
  const state = useDesktop((each) => each.state);
  const { keepsRunning, notifies } = usePreferences((preferences) => preferences.desktop);
  const { error, run } = useTask();
  const bridge = desktopBridge();
  if (bridge === undefined || state === undefined) return null;
  return (
    <Section title={t("settings.desktop")}>
      <div className="settings-rows">
        <Switch
          label={t("settings.desktop.keepsRunning")}
          help={t("settings.desktop.keepsRunning.help")}
          isOn={keepsRunning}
          onChange={(isOn) => changeDesktopPreferences({ keepsRunning: isOn })}
        />
        {state.canOpenAtLogin ? (
          <Switch
            label={t("settings.desktop.login")}
            isOn={state.opensAtLogin}
            onChange={(isOn) =>
              void run(async () => setDesktopState(await bridge.setOpensAtLogin(isOn)))
            }
          />
        ) : (
          <p className="field-help">{t("settings.desktop.login.cannot")}</p>
        )}
        {error !== undefined && (
          <Notice tone="bad">{t("settings.desktop.login.failed", { why: error })}</Notice>
        )}
        <Switch
          label={t("settings.desktop.notifies")}
          help={t("settings.desktop.notifies.help")}
          isOn={notifies}
          onChange={(isOn) => changeDesktopPreferences({ notifies: isOn })}
        />
      </div>
    </Section>
  );
}
