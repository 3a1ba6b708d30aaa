import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Lock, Plus, Trash2 } from "lucide-react";
import { useFieldArray, type Control } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { subscriptionQuery } from "#/api/subscription";
import { NumberField } from "#/shared/form/fields/number-field";
import { TextField } from "#/shared/form/fields/text-field";
import { Badge } from "#/shared/ui/badge";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Skeleton } from "#/shared/ui/skeleton";
import type { EquipmentValues } from "./schema";
import { blankPart } from "./values";

/** Parts for the next service. Without the premium feature, it describes the feature. */
export function PartsSection({ control }: { control: Control<EquipmentValues> }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const subscription = useQuery(subscriptionQuery(useTransport()));
  const entitlements = subscription.data?.subscription?.entitlements;
  return (
    <Card
      title={t("equipment.columns.parts")}
      actions={
        entitlements &&
        !entitlements.partsEntry && (
          <Badge tone="accent">{t("equipment-form.fields.parts.premium")}</Badge>
        )
      }
    >
      {subscription.isPending ? (
        <Skeleton className="h-10 w-full" />
      ) : subscription.error && !entitlements ? (
        <ErrorPanel
          title={t("equipment-form.fields.parts.failed")}
          reason={errorText(subscription.error)}
          onRetry={() => void subscription.refetch()}
          retrying={subscription.isFetching}
        />
      ) : entitlements?.partsEntry ? (
        <PartRows control={control} />
      ) : (
        <div className="flex flex-col gap-3 md:flex-row md:items-center md:justify-between md:gap-5">
          <p className="flex gap-3 text-muted">
            <Lock aria-hidden className="mt-0.5 size-5 shrink-0" />
            {t("equipment-form.fields.parts.upgrade")}
          </p>
          <Button asChild className="shrink-0">
            <Link to="/subscription">{t("subscription.upgrade.action")}</Link>
          </Button>
        </div>
      )}
    </Card>
  );
}

function PartRows({ control }: { control: Control<EquipmentValues> }) {
  const { t } = useTranslation();
  const { fields, append, remove, update } = useFieldArray({ control, name: "serviceParts" });
  // One row is always kept; removing the last one empties it.
  const removeRow = (index: number) =>
    fields.length > 1 ? remove(index) : update(index, { ...blankPart });
  return (
    <ul className="space-y-4">
      {fields.map((row, index) => (
        <li
          key={row.id}
          className="space-y-3 border-b border-line pb-4 last:border-b-0 last:pb-0 md:border-b-0 md:pb-0"
        >
          <div
            role="group"
            aria-label={t("equipment-form.fields.parts.row", { number: index + 1 })}
            className="grid grid-cols-[1fr_auto] items-start gap-3 md:grid-cols-[2fr_1.4fr_5.5rem_auto]"
          >
            <div className="col-span-2 md:col-span-1">
              <TextField
                control={control}
                name={`serviceParts.${index}.part`}
                label={t("equipment-form.fields.parts.part")}
                maxLength={100}
              />
            </div>
            <div className="col-span-2 md:col-span-1">
              <TextField
                control={control}
                name={`serviceParts.${index}.partNumber`}
                label={t("equipment-form.fields.parts.partNumber")}
                mono
                plain
                maxLength={100}
              />
            </div>
            <NumberField
              control={control}
              name={`serviceParts.${index}.quantity`}
              label={t("equipment-form.fields.parts.quantity")}
              whole
            />
            {/* Aligned with the inputs, below their labels. */}
            <div className="pt-7">
              <Button
                variant="quiet"
                icon
                aria-label={t("equipment-form.fields.parts.remove", { number: index + 1 })}
                onClick={() => removeRow(index)}
              >
                <Trash2 aria-hidden className="size-4" />
              </Button>
            </div>
          </div>
          {index === fields.length - 1 && fields.length < 100 && (
            <Button onClick={() => append({ ...blankPart })}>
              <Plus aria-hidden className="size-4" />
              {t("equipment-form.fields.parts.add")}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}
