import { useController } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import { BillingService } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { ReauthCancelled } from "#/session/reauth";
import { useReauthTransport } from "#/session/reauth-transport";
import { FormDialog } from "#/shared/form/form-dialog";
import { NumberField } from "#/shared/form/fields/number-field";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { useWrite } from "#/shared/form/use-write";
import { useFormat } from "#/shared/format/use-format";
import { toast } from "#/shared/toast/store";
import { Segmented } from "#/shared/ui/segmented";
import { usePutSubscription, type Account } from "./queries";
import { limitKinds, limitOf, limitSchema, limitValues, type LimitKind } from "./schema";

/** Overrides the plan's limit for one company, or resets it. */
export function LimitDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const put = usePutSubscription();
  const doneText = useDoneText();
  const name = account.company.businessName;
  const form = useAppForm(limitSchema, limitValues(account));
  const kind = useController({ control: form.control, name: "kind" }).field;
  const save = useWrite(BillingService.method.setEquipmentLimit, {
    transport: useReauthTransport(),
    onSuccess: ({ subscription }, { equipmentLimit }) => {
      put(subscription);
      const limit = subscription?.subscription?.entitlements?.equipmentLimit ?? equipmentLimit;
      const inEffect = equipmentLimit === undefined ? null : (limit ?? null);
      toast.success(t("admin-accounts.limit.done"), doneText(name, inEffect));
      onClose();
    },
    onError: (error) => showFieldErrors(form, error, ["equipmentLimit", "reason"]),
  });
  const refusal = () => {
    const { error } = save;
    if (!error || error instanceof ReauthCancelled) return null;
    if (toFailure(error).status === 404) return t("admin-accounts.limit.notMet");
    return errorText(error, "admin-accounts.limit.failed");
  };
  const labels: Record<LimitKind, string> = {
    plan: t("admin-accounts.limit.plan"),
    number: t("admin-accounts.limit.number"),
    none: t("admin-accounts.limit.none"),
  };
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t("admin-accounts.limit.title", { name })}
      description={t("admin-accounts.limit.text")}
      onSubmit={form.handleSubmit((values) =>
        save.mutate({
          companyId: account.id,
          equipmentLimit: limitOf(values) ?? undefined,
          reason: values.reason.trim(),
        }),
      )}
      loading={save.isPending}
      submitError={refusal()}
      submitLabel={t("admin-accounts.limit.submit")}
      pendingLabel={t("admin-accounts.limit.pending")}
    >
      <Segmented
        label={t("admin-accounts.limit.kind")}
        value={kind.value}
        options={limitKinds.map((value) => ({ value, label: labels[value] }))}
        onChange={kind.onChange}
      />
      {kind.value === "number" && (
        <NumberField
          control={form.control}
          name="equipmentLimit"
          label={t("admin-accounts.limit.count")}
          hint={t("admin-accounts.limit.countHint")}
          whole
        />
      )}
      <TextAreaField
        control={form.control}
        name="reason"
        label={t("admin-accounts.reason.label")}
        hint={t("admin-accounts.reason.hint")}
        maxLength={600}
      />
    </FormDialog>
  );
}

function useDoneText() {
  const { t } = useTranslation();
  const format = useFormat();
  return (name: string, limit: number | null): string => {
    if (limit === null) return t("admin-accounts.limit.donePlan", { name });
    if (limit === -1) return t("admin-accounts.limit.doneNone", { name });
    const pieces = { count: limit, limit: format.number(limit) };
    return t("admin-accounts.limit.doneNumber", {
      name,
      limit: t("admin-accounts.limit.doneNumberUnit", pieces),
    });
  };
}
