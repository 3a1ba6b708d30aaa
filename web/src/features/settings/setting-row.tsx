import type { ReactNode } from "react";

export function SettingRow({
  label,
  text,
  textId,
  control,
  wide = false,
  children,
}: {
  label: ReactNode;
  text?: ReactNode;
  textId?: string;
  control: ReactNode;
  /** Fixed width; full width on a phone. */
  wide?: boolean;
  children?: ReactNode;
}) {
  return (
    <div className="space-y-3 px-4 py-4 md:px-5">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 basis-60">
          <p className="font-semibold">{label}</p>
          {text != null && (
            <p id={textId} className="mt-0.5 text-sm text-muted">
              {text}
            </p>
          )}
        </div>
        <div className={wide ? "w-full shrink-0 md:w-72" : "max-w-full shrink-0"}>{control}</div>
      </div>
      {children}
    </div>
  );
}
