import { createConnectQueryKey, useTransport } from "@connectrpc/connect-query";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import * as v from "valibot";
import { useErrorText } from "#/api/error-text";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { SubscriptionStatus } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { subscriptionQuery } from "#/api/subscription";
import { key } from "#/i18n/key";
import { ReauthCancelled } from "#/session/reauth";
import { useReauthTransport } from "#/session/reauth-transport";
import { FormDialog } from "#/shared/form/form-dialog";
import { TextField } from "#/shared/form/fields/text-field";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { useWrite } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";
import { Notice } from "#/shared/ui/notice";

/** Schedules the deletion after the company's name was typed. */
export function DeleteCompanyDialog({
  companyName,
  onClose,
}: {
  companyName: string;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const client = useQueryClient();
  const { data } = useQuery(subscriptionQuery(useTransport()));
  const status = data?.subscription?.entitlements?.status;
  const isPaying = status === SubscriptionStatus.ACTIVE || status === SubscriptionStatus.PAUSED;
  const schema = v.object({
    companyName: v.pipe(
      v.string(),
      v.check((text) => text.trim() === companyName, key("settings.data.nameWrong")),
    ),
  });
  const form = useAppForm(schema, { companyName: "" });
  const request = useWrite(AccountsService.method.requestCompanyDeletion, {
    transport: useReauthTransport(),
    onSuccess: async () => {
      toast.success(t("settings.data.requested"), t("settings.data.requestedText"));
      await client.invalidateQueries({
        queryKey: createConnectQueryKey({ schema: AccountsService, cardinality: undefined }),
      });
      onClose();
    },
    onError: (error) => {
      if (!(error instanceof ReauthCancelled)) showFieldErrors(form, error, ["companyName"]);
    },
  });
  const refused = request.error instanceof ReauthCancelled ? null : request.error;
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t("settings.data.sure", { name: companyName })}
      description={t("settings.data.sureText")}
      onSubmit={form.handleSubmit((values) =>
        request.mutate({ companyName: values.companyName.trim() }),
      )}
      loading={request.isPending}
      submitError={refused && errorText(refused)}
      submitLabel={t("settings.data.confirm")}
      submitTone="danger"
      pendingLabel={t("settings.data.requesting")}
    >
      {isPaying && <Notice>{t("settings.data.paying")}</Notice>}
      <TextField
        control={form.control}
        name="companyName"
        label={t("settings.data.name", { name: companyName })}
        autoComplete="off"
        maxLength={100}
      />
    </FormDialog>
  );
}
