// Code to copy. The key is part of the copied text, but hidden on the screen.

import { useState } from "react";
import type { AppInfo } from "../../../main/contract/window-api.ts";
import { t } from "../../messages/messages.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Section } from "../../ui/page-frame.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import {
  codeLanguages,
  codeSample,
  codeTasks,
  type CodeLanguage,
  type CodeTask,
} from "./code-samples.ts";

const names: Record<CodeLanguage, string> = {
  curl: "curl",
  python: "Python",
  javascript: "JavaScript",
};

export function CodeSection({ info }: { info: AppInfo }) {
  const [language, setLanguage] = useState<CodeLanguage>("curl");
  const [task, setTask] = useState<CodeTask>("transcribe");
  const baseUrl = info.baseUrl ?? `http://127.0.0.1:${info.port}/v1`;
  return (
    <Section
      title={t("server.code")}
      about={t(info.baseUrl === undefined ? "server.code.stopped" : "server.code.about")}
    >
      <div className="server-row">
        <Segmented
          label={t("server.code.language")}
          value={language}
          choices={codeLanguages.map((value) => ({ value, label: names[value] }))}
          onChange={setLanguage}
        />
        <Segmented
          label={t("server.code.task")}
          value={task}
          choices={codeTasks.map((value) => ({ value, label: t(`server.code.${value}`) }))}
          onChange={setTask}
        />
      </div>
      <div className="server-code">
        <pre tabIndex={0} aria-label={t("server.code")}>
          <code>{codeSample(language, task, { baseUrl, key: `${info.apiKey.slice(0, 6)}…` })}</code>
        </pre>
        <CopyButton
          label={t("server.code.copy")}
          text={codeSample(language, task, { baseUrl, key: info.apiKey })}
        />
      </div>
    </Section>
  );
}
