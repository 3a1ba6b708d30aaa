import { ChevronDown } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useFormState, type Control } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { EquipmentValues } from "./schema";

const folded = [
  "unitNumber",
  "serialNumber",
  "operationalStatus",
  "threshold",
  "alertThreshold",
  "hasScheduledMaintenance",
  "maintenanceStartDate",
  "maintenanceInterval",
  "maintenanceIntervalUnit",
  "serviceParts",
  "description",
] as const satisfies ReadonlyArray<keyof EquipmentValues>;

/** The fields that a new machine does not need; an error in one of them opens it. */
export function MoreDetails({
  control,
  openAtFirst,
  children,
}: {
  control: Control<EquipmentValues>;
  openAtFirst: boolean;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  const { errors } = useFormState({ control });
  const [open, setOpen] = useState(openAtFirst);
  const hasErrors = folded.some((name) => errors[name]);
  return (
    <details
      className="group space-y-4"
      open={open || hasErrors}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="flex cursor-pointer list-none items-start gap-3 rounded-card border border-line bg-raised px-4 py-3 md:px-5 [&::-webkit-details-marker]:hidden">
        <span className="min-w-0 flex-1">
          <span className="block font-semibold">{t("equipment-form.more")}</span>
          <span className="block text-sm text-muted">{t("equipment-form.moreText")}</span>
        </span>
        <ChevronDown
          aria-hidden
          className="mt-1 size-5 shrink-0 text-muted transition-transform group-open:rotate-180"
        />
      </summary>
      {children}
    </details>
  );
}
