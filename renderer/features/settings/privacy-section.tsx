// The switch that keeps this machine from contacting others, and the way to what has left it.

import { ArrowUpRight } from "lucide-react";
import { t } from "../../messages/messages.ts";
import { changeOffline, useInfo } from "../../stores/info.ts";
import { go } from "../../stores/route.ts";
import { useTask } from "../../stores/task.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page-frame.tsx";
import { Switch } from "../../ui/switch.tsx";

export function PrivacySection() {
  const info = useInfo((state) => state.info);
  const { run, error } = useTask();
  return (
    <Section title={t("settings.privacy")} about={t("settings.privacy.about")}>
      <div className="settings-rows">
        {info !== undefined && (
          <Switch
            label={t("settings.offline")}
            help={info.isOfflineGiven ? t("settings.offline.given") : t("settings.offline.help")}
            isOn={info.isOffline}
            isFixed={info.isOfflineGiven}
            onChange={(next) => void run(() => changeOffline(next))}
          />
        )}
        {error !== undefined && <Notice tone="bad">{error}</Notice>}
        <div className="settings-row">
          <span className="field-help">{t("settings.departures.about")}</span>
          <Button icon={<ArrowUpRight aria-hidden />} onClick={() => go("/settings/departures")}>
            {t("settings.departures")}
          </Button>
        </div>
      </div>
    </Section>
  );
}
