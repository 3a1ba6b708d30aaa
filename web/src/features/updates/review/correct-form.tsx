import { clsx } from "clsx";
import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { useUpdateText } from "#/shared/words/update-text";
import { Button } from "#/shared/ui/button";
import { inputClass } from "#/shared/ui/input-class";
import { hasWrongUnit } from "../unit";
import { readingOf } from "./reading";
import { useMeterBefore } from "./use-meter-before";

const menuClosed = 60;

/** Corrects the reading in place: Enter applies, Escape cancels. */
export function CorrectForm({
  update,
  equipment,
  busy,
  onSubmit,
  onLeave,
}: {
  update: OperatorUpdate;
  equipment: Equipment | undefined;
  busy: boolean;
  onSubmit: (reading: number) => Promise<boolean>;
  onLeave: () => void;
}) {
  const { t } = useTranslation();
  const words = useUpdateText();
  const id = useId();
  const [text, setText] = useState(String(hasWrongUnit(update) ? "" : (update.newUsage ?? "")));
  const [refused, setRefused] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  // The user just opened this field; a closing menu would otherwise take the focus back.
  useEffect(() => {
    const enter = () => {
      if (document.activeElement === field.current) return;
      field.current?.focus();
      field.current?.select();
    };
    enter();
    const timer = setTimeout(enter, menuClosed);
    return () => clearTimeout(timer);
  }, []);
  const reading = readingOf(text);
  const unit = words.unitName(equipment?.unit);
  const meter = useMeterBefore(update, equipment);
  const submit = () => {
    setRefused(reading === null);
    if (reading !== null && !busy) void onSubmit(reading);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    onLeave();
  };
  const name = equipment?.name ?? update.equipmentName;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      className="space-y-1.5"
    >
      <label htmlFor={id} className="block text-sm font-semibold">
        {unit ? t("review.correct.labelUnit", { name, unit }) : t("review.correct.label", { name })}
      </label>
      <div className="flex flex-wrap gap-2">
        <input
          id={id}
          ref={field}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          inputMode="decimal"
          autoComplete="off"
          aria-invalid={refused && reading === null ? true : undefined}
          aria-describedby={`${id}-hint`}
          className={clsx(inputClass, "min-w-36 flex-1 md:max-w-56")}
        />
        <Button
          type="submit"
          variant="primary"
          pending={busy}
          pendingLabel={t("review.correct.pending")}
        >
          {t("review.correct.submit")}
        </Button>
        <Button variant="quiet" onClick={onLeave}>
          {t("common.cancel")}
        </Button>
      </div>
      <p id={`${id}-hint`} aria-live="polite" className="text-sm text-muted">
        {refused && reading === null ? (
          <span className="font-semibold text-danger">{t("review.correct.invalid")}</span>
        ) : reading !== null && meter !== undefined ? (
          t("review.correct.sets", {
            difference: words.difference(meter, reading, equipment?.unit),
          })
        ) : (
          <span className="pointer-coarse:hidden">{t("review.correct.hint")}</span>
        )}
      </p>
    </form>
  );
}
