import { useId, type ReactNode } from "react";
import { useController, type Control } from "react-hook-form";

// A type, because an interface has no implicit index signature.
export type RemoveValues = {
  way: "retire" | "delete";
  retirementNotes: string;
  rejectWaiting: boolean;
};

/** A radio button with content that belongs to the choice. */
export function RemoveChoice({
  control,
  value,
  label,
  text,
  children,
}: {
  control: Control<RemoveValues>;
  value: "retire" | "delete";
  label: ReactNode;
  text: string;
  children?: ReactNode;
}) {
  const { field } = useController({ control, name: "way" });
  const id = useId();
  return (
    <div className="rounded-card border border-control-line p-4 has-[input[type=radio]:checked]:border-accent has-[input[type=radio]:checked]:bg-accent-soft">
      <div className="flex gap-3">
        <input
          id={id}
          type="radio"
          name={field.name}
          checked={field.value === value}
          onChange={() => field.onChange(value)}
          onBlur={field.onBlur}
          aria-describedby={`${id}-text`}
          className="mt-0.5 size-5 shrink-0 accent-accent"
        />
        <div>
          <label htmlFor={id} className="cursor-pointer font-semibold">
            {label}
          </label>
          <p id={`${id}-text`} className="text-sm text-muted">
            {text}
          </p>
        </div>
      </div>
      {children && <div className="mt-3">{children}</div>}
    </div>
  );
}
