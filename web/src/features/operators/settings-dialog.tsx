import { callUnaryMethod } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { companySettingsQuery } from "#/api/company-settings";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { ReauthCancelled } from "#/session/reauth";
import { useReauthTransport } from "#/session/reauth-transport";
import { sessionQuery } from "#/session/session";
import { FormDialog } from "#/shared/form/form-dialog";
import { PasswordField } from "#/shared/form/fields/password-field";
import { TextField } from "#/shared/form/fields/text-field";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { useSecretMutation } from "#/shared/form/use-secret-mutation";
import { toast } from "#/shared/toast/store";
import { proposedPassword } from "./proposed-password";
import { useRefreshAccounts } from "./queries";
import { settingsSchema, toSettingsRequest, type SettingsRequest } from "./schema";

export function SettingsDialog({
  companyName,
  first = false,
  onSaved,
  onClose,
}: {
  companyName: string;
  /** Sets the first operator password, with a proposal. */
  first?: boolean;
  onSaved: () => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useReauthTransport();
  const client = useQueryClient();
  const refresh = useRefreshAccounts();
  const [unchanged, setUnchanged] = useState(false);
  const [masterPassword] = useState(first ? proposedPassword : "");
  const form = useAppForm(settingsSchema, { masterPassword, companyName });
  const update = useSecretMutation({
    mutationFn: (request: SettingsRequest) =>
      callUnaryMethod(transport, AccountsService.method.updateCompanySettings, request),
    onSuccess: ({ settings }) => {
      // The next step asks whether the password is set, before the refetch has its response.
      client.setQueryData(companySettingsQuery(transport).queryKey, (known) =>
        known && settings ? { ...known, settings } : known,
      );
      toast.success(t("operators.settings.done"), t("operators.settings.doneText"));
      onSaved();
      void refresh();
      // The session includes the company's name.
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
    onError: (error) => {
      if (error instanceof ReauthCancelled) return;
      showFieldErrors(form, error, ["masterPassword", "companyName"]);
      toast.failure(t("operators.settings.failed"), errorText(error));
    },
  });
  const error = update.error instanceof ReauthCancelled ? null : update.error;
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={first ? t("operators.empty.setPassword") : t("operators.settings.open")}
      description={first ? t("operators.settings.firstText") : t("operators.settings.text")}
      onSubmit={form.handleSubmit((values) => {
        const request = toSettingsRequest(values, companyName);
        setUnchanged(!request);
        if (request) update.mutate(request);
        else
          toast.failure(t("operators.settings.noChanges"), t("operators.settings.noChangesText"));
      })}
      loading={update.isPending}
      submitError={unchanged ? t("operators.settings.noChangesText") : error && errorText(error)}
      toasted
      submitLabel={t("operators.settings.submit")}
      pendingLabel={t("operators.settings.pending")}
    >
      {first ? (
        <TextField
          control={form.control}
          name="masterPassword"
          label={t("operators.settings.operatorPassword")}
          hint={t("operators.settings.proposed")}
          autoComplete="off"
          mono
          plain
        />
      ) : (
        <>
          <PasswordField
            control={form.control}
            name="masterPassword"
            label={t("operators.settings.operatorPassword")}
            hint={t("operators.settings.passwordHint")}
            autoComplete="off"
          />
          <TextField
            control={form.control}
            name="companyName"
            label={t("operators.settings.companyName")}
            hint={t("operators.settings.nameHint")}
            autoComplete="organization"
            maxLength={100}
          />
        </>
      )}
    </FormDialog>
  );
}
