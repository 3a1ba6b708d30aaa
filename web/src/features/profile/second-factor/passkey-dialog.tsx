import { callUnaryMethod } from "@connectrpc/connect-query";
import { useTranslation } from "react-i18next";
import * as v from "valibot";
import { useErrorText } from "#/api/error-text";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { ReauthCancelled } from "#/session/reauth";
import { useReauthTransport } from "#/session/reauth-transport";
import { key } from "#/i18n/key";
import { TextField } from "#/shared/form/fields/text-field";
import { FormDialog } from "#/shared/form/form-dialog";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { useSecretMutation } from "#/shared/form/use-secret-mutation";
import { createPasskey, PasskeyCancelled } from "#/shared/passkeys";
import { toast } from "#/shared/toast/store";
import { useRefreshFactor } from "./queries";

const nameSchema = v.object({
  name: v.pipe(
    v.string(),
    v.check((name) => name.trim() !== "", key("second-factor.passkeys.nameRequired")),
  ),
});

export function PasskeyDialog({
  onClose,
  onAdded,
}: {
  onClose: () => void;
  onAdded: (codes: readonly string[]) => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useReauthTransport();
  const refresh = useRefreshFactor();
  const form = useAppForm(nameSchema, { name: "" });
  const reason = (error: Error) =>
    error instanceof PasskeyCancelled ? t("second-factor.passkeys.cancelled") : errorText(error);
  const add = useSecretMutation({
    mutationFn: async ({ name }: { name: string }) => {
      const { startPasskey, addPasskey } = AccountsService.method;
      const creation = await callUnaryMethod(transport, startPasskey, {});
      const answer = await createPasskey(creation);
      const request = { name: name.trim(), ...answer };
      const { recoveryCodes } = await callUnaryMethod(transport, addPasskey, request);
      // The mutation cache keeps results, so the codes are removed here.
      onAdded(recoveryCodes);
      return recoveryCodes.length > 0;
    },
    onSuccess: (shown) => {
      // No toast with recovery codes: it would cover them on a phone.
      if (!shown) toast.success(t("second-factor.passkeys.done"));
      void refresh();
    },
    onError: (error) => {
      if (error instanceof ReauthCancelled) return;
      showFieldErrors(form, error, ["name"]);
    },
  });
  const refused = add.error && !(add.error instanceof ReauthCancelled) ? add.error : null;
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t("second-factor.passkeys.add")}
      description={t("second-factor.passkeys.addText")}
      onSubmit={form.handleSubmit((values) => add.mutate(values))}
      loading={add.isPending}
      submitError={refused && reason(refused)}
      submitLabel={t("second-factor.passkeys.go")}
      pendingLabel={t("second-factor.passkeys.waiting")}
    >
      <TextField
        control={form.control}
        name="name"
        label={t("second-factor.passkeys.name")}
        hint={t("second-factor.passkeys.nameHint")}
        maxLength={100}
      />
    </FormDialog>
  );
}
