import { clsx } from "clsx";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import type { MeterEndWord } from "./replace-schema";

export function WayChoice({
  value,
  onChange,
}: {
  value: MeterEndWord;
  onChange: (way: MeterEndWord) => void;
}) {
  const { t } = useTranslation();
  const name = useId();
  const ways = [
    {
      way: "replaced",
      label: t("equipment-meters.replace.replaced"),
      text: t("equipment-meters.replace.replacedText"),
    },
    {
      way: "rolledOver",
      label: t("equipment-meters.replace.rolledOver"),
      text: t("equipment-meters.replace.rolledOverText"),
    },
  ] as const;
  return (
    <fieldset className="grid min-w-0 gap-2 sm:grid-cols-2">
      <legend className="sr-only">{t("equipment-meters.replace.way")}</legend>
      {ways.map(({ way, label, text }) => (
        <label
          key={way}
          className={clsx(
            "grid cursor-pointer grid-cols-[auto_minmax(0,1fr)] content-start gap-x-2.5 rounded-(--control-radius) border border-control-line px-3.5 py-3 transition-colors hover:bg-sunken",
            "has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent",
          )}
        >
          <input
            type="radio"
            name={name}
            checked={value === way}
            onChange={() => onChange(way)}
            aria-describedby={`${name}-${way}`}
            aria-label={label}
            className="mt-1 size-4 accent-(--accent)"
          />
          <span aria-hidden className="font-semibold">
            {label}
          </span>
          <span id={`${name}-${way}`} className="col-start-2 text-sm text-muted">
            {text}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
