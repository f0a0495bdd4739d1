// Form for a new key: name and limits.

import { useState } from "react";
import type { ApiResponse } from "../../../main/contract/api.ts";
import { scopes, type Scope } from "../../../main/contract/usage.ts";
import { call } from "../../api/client.ts";
import { t } from "../../messages/messages.ts";
import { useTask } from "../../stores/task.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox, TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { parseBudget } from "./budget.ts";

export function NewKeyForm({
  onCreated,
  onClose,
}: {
  onCreated: (key: ApiResponse<"createKey">) => void;
  onClose: () => void;
}) {
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<Scope>>(new Set(scopes));
  const [budget, setBudget] = useState("");
  const [budgetCountsLocal, setCountsLocal] = useState(false);
  const task = useTask();
  const budgetUsd = parseBudget(budget);
  const invalidReason =
    name.trim() === ""
      ? t("server.keys.needsName")
      : chosen.size === 0
        ? t("server.keys.needsScope")
        : budgetUsd === "wrong"
          ? t("server.keys.needsBudget")
          : undefined;
  const createKey = () =>
    void task.run(async (signal) => {
      if (invalidReason !== undefined || budgetUsd === "wrong") return;
      const limits =
        budgetUsd === undefined ? {} : { monthlyBudgetUsd: budgetUsd, budgetCountsLocal };
      onCreated(
        await call(
          "createKey",
          { name, scopes: scopes.filter((scope) => chosen.has(scope)), ...limits },
          "",
          signal,
        ),
      );
    });
  return (
    <form
      className="server-form"
      onSubmit={(event) => {
        event.preventDefault();
        createKey();
      }}
      onKeyDown={(event) => event.key === "Escape" && !event.defaultPrevented && onClose()}
    >
      <TextField
        label={t("server.keys.name")}
        placeholder={t("server.keys.name.example")}
        autoFocus
        maxLength={60}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextField
        label={t("server.keys.budget.field")}
        placeholder={t("server.keys.noBudget")}
        inputMode="decimal"
        value={budget}
        error={budgetUsd === "wrong" ? t("server.keys.needsBudget") : undefined}
        onChange={(event) => setBudget(event.currentTarget.value)}
      />
      <fieldset className="server-scopes">
        <legend className="field-label">{t("server.keys.may")}</legend>
        {scopes.map((scope) => (
          <Checkbox
            key={scope}
            label={t(`server.scope.${scope}`)}
            checked={chosen.has(scope)}
            onChange={({ currentTarget: { checked } }) =>
              setChosen(
                (before) =>
                  new Set(scopes.filter((each) => (each === scope ? checked : before.has(each)))),
              )
            }
          />
        ))}
      </fieldset>
      {budgetUsd !== undefined && budgetUsd !== "wrong" && (
        <Checkbox
          label={t("server.keys.countsLocal")}
          checked={budgetCountsLocal}
          onChange={(event) => setCountsLocal(event.currentTarget.checked)}
        />
      )}
      {task.error !== undefined && (
        <div className="server-form-wide">
          <Notice tone="bad">{task.error}</Notice>
        </div>
      )}
      <div className="server-row server-form-wide">
        <Button kind="primary" type="submit" isBusy={task.isBusy} disabledReason={invalidReason}>
          {t("server.keys.create")}
        </Button>
        <Button kind="quiet" onClick={onClose}>
          {t("frame.cancel")}
        </Button>
      </div>
    </form>
  );
}
