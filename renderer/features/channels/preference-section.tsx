// Whether this machine or the channels get requests first.

import { useEffect, useState } from "react";
import type { Routing } from "../../../main/contract/channels.ts";
import { call } from "../../api/client.ts";
import { t } from "../../messages/messages.ts";
import { useTask } from "../../stores/task.ts";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page-frame.tsx";
import { Segmented } from "../../ui/segmented.tsx";

const choices = ["listed", "local", "cloud"] as const;

export function PreferenceSection() {
  const [routing, setRouting] = useState<Routing>();
  const { run, error } = useTask();
  const saving = useTask();
  useEffect(
    () => void run(async (signal) => setRouting(await call("readRouting", {}, "", signal))),
    [run],
  );
  const change = (patch: Partial<Routing>) =>
    void saving.run(async () => {
      // Aliases may have changed elsewhere meanwhile, so read the routing again and change only this part.
      setRouting(await call("changeRouting", { ...(await call("readRouting", {})), ...patch }));
    });
  const failure = error ?? saving.error;
  return (
    <Section title={t("channels.first")} about={t("channels.first.about")}>
      {failure !== undefined && <Notice tone="bad">{failure}</Notice>}
      {routing !== undefined && (
        <div className="channel-preferences">
          <Segmented
            label={t("channels.first")}
            value={routing.prefer}
            choices={choices.map((value) => ({ value, label: t(`channels.prefer.${value}`) }))}
            onChange={(prefer) => change({ prefer })}
          />
          <p className="field-help">{t(`channels.prefer.${routing.prefer}.help`)}</p>
        </div>
      )}
    </Section>
  );
}
