// The Models page: all models of all channels, aliases, and trials with a clip or sentence.

import "./models.css";
import { FlaskConical } from "lucide-react";
import { useEffect } from "react";
import { t } from "../../messages/messages.ts";
import { RegisterAction, useAction } from "../../stores/actions.ts";
import { eventStream } from "../../stores/event-stream.ts";
import { loadModels, useModels } from "../../stores/models.ts";
import { go, useRoute } from "../../stores/route.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageFrame, PageSections } from "../../ui/page-frame.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { DefaultsSection } from "./defaults-section.tsx";
import { ModelsSection } from "./models-section.tsx";
import { NamesSection } from "./names-section.tsx";
import { TrySection } from "./try-section.tsx";
import { useRouting } from "./use-routing.ts";

const tabs = ["all", "defaults", "names", "try"] as const;

const focusFilter = (): void =>
  document.querySelector<HTMLElement>("[data-models-filter]")?.focus();

export function Page() {
  const { models, listed, isLoaded, error } = useModels();
  const { rest, query } = useRoute();
  const routingState = useRouting();
  const tab = tabs.find((each) => each === rest[0]) ?? "all";
  useEffect(() => {
    void loadModels();
    return eventStream().subscribe(({ type }) => void (type === "engines" && loadModels()));
  }, []);
  useAction({
    id: "models.search",
    title: t("models.filter"),
    keys: "/",
    run: () => {
      // Without a delay, so that no character typed next is lost.
      if (tab === "all") return focusFilter();
      go("/models");
      requestAnimationFrame(focusFilter);
    },
  });
  useAction({ id: "models.try", title: t("models.try"), run: () => go("/models/try") });
  const openTab = (next: (typeof tabs)[number]): void =>
    go(next === "all" ? "/models" : `/models/${next}`, { replace: true });
  return (
    <PageFrame
      title={t("frame.page.models")}
      about={t("models.about")}
      actions={
        tab !== "try" && (
          <Button icon={<FlaskConical aria-hidden />} onClick={() => go("/models/try")}>
            {t("models.try")}
          </Button>
        )
      }
    >
      <PageSections part={tab}>
        <div>
          <Segmented
            label={t("models.parts")}
            value={tab}
            choices={tabs.map((value) => ({ value, label: t(`models.part.${value}`) }))}
            onChange={openTab}
          />
          {tabs.map((value) => (
            <RegisterAction
              key={value}
              id={`models.part.${value}`}
              title={t(`models.part.${value}`)}
              run={() => openTab(value)}
            />
          ))}
        </div>
        {error !== undefined && (
          <Notice
            tone="bad"
            action={
              <Button isSmall onClick={() => void loadModels()}>
                {t("frame.retry")}
              </Button>
            }
          >
            {error}
          </Notice>
        )}
        {isLoaded && tab === "all" && <ModelsSection models={listed} routingState={routingState} />}
        {isLoaded && tab === "defaults" && <DefaultsSection />}
        {isLoaded && tab === "names" && (
          <NamesSection models={models} routingState={routingState} />
        )}
        {isLoaded && tab === "try" && <TrySection key={query.toString()} models={models} />}
      </PageSections>
    </PageFrame>
  );
}
