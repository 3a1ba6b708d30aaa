import { useState } from "react";
import { firstDay, isDay, lastDay } from "#/domain/days";
import { inputClass } from "./input-class";

/** Typed text stays here until it is a date, because a partial year must not clear the field. */
export function DayField({
  label,
  value,
  onChange,
  errorId,
}: {
  label: string;
  value: string | undefined;
  onChange: (day: string | undefined) => void;
  errorId: string | undefined;
}) {
  const current = value ?? "";
  const [state, setState] = useState({ text: current, seen: current });
  if (current !== state.seen) setState({ text: current, seen: current });
  const type = (text: string) => {
    setState((last) => ({ ...last, text }));
    if (text === "" || isDay(text)) onChange(text || undefined);
  };
  return (
    <label className="block min-w-0">
      <span className="mb-1 block text-xs text-muted">{label}</span>
      <input
        type="date"
        value={state.text}
        min={firstDay}
        max={lastDay}
        onChange={(event) => type(event.target.value)}
        aria-invalid={errorId ? true : undefined}
        aria-describedby={errorId}
        className={inputClass}
      />
    </label>
  );
}
