// All models of all channels: what they are, which names lead to them, how they do on one's own clip or sentence.

import "./models.css";
import { FlaskConical } from "lucide-react";
import { useEffect } from "react";
import { t } from "../../messages/messages.ts";
import { Registered, useAction } from "../../stores/actions.ts";
import { live } from "../../stores/live.ts";
import { loadModels, useModels } from "../../stores/models.ts";
import { go, useRoute } from "../../stores/route.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageFrame, PageSections } from "../../ui/page-header.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { ModelTable } from "./model-table.tsx";
import { NamesSection } from "./names-section.tsx";
import { TrySection } from "./try-section.tsx";
import { useRouting } from "./use-routing.ts";

const parts = ["all", "names", "try"] as const;

export function Page() {
  const { models, isLoaded, error } = useModels();
  const { rest, query } = useRoute();
  const inUse = useRouting();
  const part = parts.find((each) => each === rest[0]) ?? "all";
  useEffect(() => {
    void loadModels();
    return live().subscribe(({ type }) => void (type === "engines" && loadModels()));
  }, []);
  useAction({
    id: "models.search",
    title: t("models.filter"),
    keys: "/",
    run: () => {
      if (part !== "all") go("/models");
      requestAnimationFrame(() =>
        document.querySelector<HTMLElement>("[data-models-filter]")?.focus(),
      );
    },
  });
  useAction({ id: "models.try", title: t("models.try"), run: () => go("/models/try") });
  const openPart = (next: (typeof parts)[number]): void =>
    go(next === "all" ? "/models" : `/models/${next}`, { replace: true });
  return (
    <PageFrame
      title={t("shell.page.models")}
      about={t("models.about")}
      actions={
        part !== "try" && (
          <Button icon={<FlaskConical aria-hidden />} onClick={() => go("/models/try")}>
            {t("models.try")}
          </Button>
        )
      }
    >
      <PageSections>
        <div>
          <Segmented
            label={t("models.parts")}
            value={part}
            choices={parts.map((value) => ({ value, label: t(`models.part.${value}`) }))}
            onChange={openPart}
          />
          {parts.map((value) => (
            <Registered
              key={value}
              id={`models.part.${value}`}
              title={t(`models.part.${value}`)}
              run={() => openPart(value)}
            />
          ))}
        </div>
        {error !== undefined && (
          <Notice
            tone="bad"
            action={
              <Button isSmall onClick={() => void loadModels()}>
                {t("shell.retry")}
              </Button>
            }
          >
            {error}
          </Notice>
        )}
        {isLoaded && part === "all" && <ModelTable models={models} inUse={inUse} />}
        {isLoaded && part === "names" && <NamesSection models={models} inUse={inUse} />}
        {isLoaded && part === "try" && <TrySection key={query.toString()} models={models} />}
      </PageSections>
    </PageFrame>
  );
}
