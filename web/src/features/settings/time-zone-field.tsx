import { clsx } from "clsx";
import { Check, ChevronDown } from "lucide-react";
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import type { FieldValues } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { currentLanguage } from "#/i18n";
import { FieldFrame, inputClass } from "#/shared/form/field-frame";
import { useField, type FieldProps } from "#/shared/form/use-field";
import { searchZones, timeIn, timeZones, zoneLabel } from "./time-zones";
import { useNow } from "./use-now";

/** A searchable combobox for some four hundred zones. */
export function TimeZoneField<Values extends FieldValues>(props: FieldProps<Values>) {
  const { t } = useTranslation();
  const now = useNow();
  const { text: value } = useField(props);
  const time = timeIn(currentLanguage(), value, now);
  return (
    <Combobox {...props} hint={time ? t("settings.company.timeThere", { time }) : props.hint} />
  );
}

function Combobox<Values extends FieldValues>(props: FieldProps<Values>) {
  const { t } = useTranslation();
  const { field, text: value, error, aria } = useField(props);
  const [search, setSearch] = useState<string | null>(null);
  const [active, setActive] = useState(0);
  const all = useMemo(() => timeZones(value), [value]);
  const open = search !== null;
  const found = useMemo(() => (open ? searchZones(all, search) : []), [all, open, search]);
  const listId = `${aria.id}-list`;
  const optionId = (index: number) => `${aria.id}-${index}`;

  const show = () => {
    if (open) return;
    setSearch("");
    setActive(Math.max(0, all.indexOf(value)));
  };
  const close = () => setSearch(null);
  const choose = (zone: string | undefined) => {
    if (zone) field.onChange(zone);
    close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    switch (event.key) {
      case "ArrowDown":
      case "ArrowUp": {
        event.preventDefault();
        if (!open) return show();
        const step = event.key === "ArrowDown" ? 1 : -1;
        return setActive((last) => Math.min(found.length - 1, Math.max(0, last + step)));
      }
      case "Enter":
        // With a closed list, the form handles the key.
        if (!open) return;
        event.preventDefault();
        return choose(found[active]);
      case "Escape":
        if (!open) return;
        event.stopPropagation();
        return close();
    }
  };
  return (
    <FieldFrame {...props} id={aria.id} error={error}>
      <div className="relative">
        <input
          {...aria}
          {...field}
          role="combobox"
          aria-expanded={open}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={open && found.length > 0 ? optionId(active) : undefined}
          autoComplete="off"
          spellCheck={false}
          placeholder={open ? zoneLabel(value) : undefined}
          value={search ?? zoneLabel(value)}
          onClick={show}
          onChange={(event) => {
            setSearch(event.target.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
          onBlur={() => {
            close();
            field.onBlur();
          }}
          className={clsx(inputClass, "pr-10")}
        />
        <ChevronDown
          aria-hidden
          className="pointer-events-none absolute top-1/2 right-3 size-4 -translate-y-1/2 text-muted"
        />
        {open && (
          <div
            id={listId}
            role="listbox"
            tabIndex={-1}
            aria-label={t("settings.company.timeZones")}
            // Keeps the focus in the field during mouse use or scrolling.
            onMouseDown={(event) => event.preventDefault()}
            className="absolute inset-x-0 top-full z-20 mt-1 max-h-72 overflow-y-auto rounded-card border border-line bg-raised p-1.5 shadow-overlay"
          >
            {found.length === 0 && (
              <p className="px-3 py-2 text-muted">{t("settings.company.noZone")}</p>
            )}
            {found.map((zone, index) => (
              <Option
                key={zone}
                id={optionId(index)}
                zone={zone}
                chosen={zone === value}
                active={index === active}
                onChoose={() => choose(zone)}
              />
            ))}
          </div>
        )}
      </div>
    </FieldFrame>
  );
}

function Option({
  id,
  zone,
  chosen,
  active,
  onChoose,
}: {
  id: string;
  zone: string;
  chosen: boolean;
  active: boolean;
  onChoose: () => void;
}) {
  const item = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (active) item.current?.scrollIntoView?.({ block: "nearest" });
  }, [active]);
  return (
    // The field handles keys, by aria-activedescendant.
    <button
      ref={item}
      type="button"
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={chosen}
      onClick={onChoose}
      className={clsx(
        "flex w-full min-h-11 cursor-pointer items-center gap-2 rounded-control px-3 py-1.5 text-left hover:bg-sunken desk:min-h-8",
        active && "bg-accent-soft",
      )}
    >
      <span className="grow">{zoneLabel(zone)}</span>
      {chosen && <Check aria-hidden className="size-4 shrink-0 text-accent" />}
    </button>
  );
}
