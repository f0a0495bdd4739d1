// Form for the price of a channel's model: providers do not report it.

import { useState } from "react";
import type { Price } from "../../../main/contract/channels.ts";
import type { ListedModel } from "../../../main/contract/window-api.ts";
import { call } from "../../api/client.ts";
import { t } from "../../messages/messages.ts";
import { loadModels } from "../../stores/models.ts";
import { useTask } from "../../stores/task.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { parsePrice } from "./price.ts";

export function PriceForm({ model, onDone }: { model: ListedModel; onDone: () => void }) {
  const [perMinute, setPerMinute] = useState(model.perMinuteUsd?.toString() ?? "");
  const [perThousand, setPerThousand] = useState(model.perThousandCharactersUsd?.toString() ?? "");
  const task = useTask();
  const minute = parsePrice(perMinute);
  const thousand = parsePrice(perThousand);
  const isWrong = minute === "wrong" || thousand === "wrong";
  const save = () =>
    void task.run(async () => {
      if (isWrong) return;
      const price: Price = {
        ...(minute === undefined ? {} : { perMinuteUsd: minute }),
        ...(thousand === undefined ? {} : { perThousandCharactersUsd: thousand }),
      };
      const { prices } = await call("readPrices", {});
      const { [model.id]: _, ...others } = prices;
      await call("changePrices", {
        prices: Object.keys(price).length === 0 ? others : { ...others, [model.id]: price },
      });
      await loadModels();
      onDone();
    });
  return (
    <form
      className="model-price"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onDone();
      }}
    >
      {model.kind !== "text-to-speech" && (
        <TextField
          label={t("models.price.minute")}
          autoFocus
          inputMode="decimal"
          placeholder="0.006"
          value={perMinute}
          error={minute === "wrong" ? t("models.price.wrong") : undefined}
          onChange={({ currentTarget: { value } }) => setPerMinute(value)}
        />
      )}
      {model.kind !== "speech-to-text" && (
        <TextField
          label={t("models.price.thousand")}
          autoFocus={model.kind === "text-to-speech"}
          inputMode="decimal"
          placeholder="0.015"
          value={perThousand}
          error={thousand === "wrong" ? t("models.price.wrong") : undefined}
          onChange={({ currentTarget: { value } }) => setPerThousand(value)}
        />
      )}
      <Button
        type="submit"
        kind="primary"
        isBusy={task.isBusy}
        disabledReason={isWrong ? t("models.price.wrong") : undefined}
      >
        {t("models.price.save")}
      </Button>
      <Button kind="quiet" onClick={onDone}>
        {t("frame.cancel")}
      </Button>
      {task.error !== undefined && (
        <span className="field-error" role="alert">
          {task.error}
        </span>
      )}
    </form>
  );
}
