import { callUnaryMethod } from "@connectrpc/connect-query";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { ReauthCancelled } from "#/session/reauth";
import { useReauthTransport } from "#/session/reauth-transport";
import { FormDialog } from "#/shared/form/form-dialog";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import type { Account } from "./queries";
import { RevealedDialog } from "./revealed-dialog";
import { reasonSchema } from "./schema";

/** Asks for a reason, then shows the password once. It is held only in this component. */
export function RevealDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useReauthTransport();
  const name = account.company.businessName;
  const [revealed, setRevealed] = useState<{ password: string | null } | null>(null);
  const form = useAppForm(reasonSchema, { reason: "" });
  const reveal = useMutation({
    // Returns nothing, because the mutation cache keeps results.
    mutationFn: async ({ reason }: { reason: string }) => {
      const request = { accountId: account.id, reason: reason.trim() };
      const { revealAccountOperatorPassword } = AccountsService.method;
      try {
        const answer = await callUnaryMethod(transport, revealAccountOperatorPassword, request);
        setRevealed({ password: answer.operatorPassword });
      } catch (error) {
        if (toFailure(error).code !== "OPERATOR_PASSWORD_NOT_SET") throw error;
        setRevealed({ password: null });
      }
    },
    onError: (error) => showFieldErrors(form, error, ["reason"]),
  });
  if (revealed) {
    return <RevealedDialog name={name} password={revealed.password} onClose={onClose} />;
  }
  const refusal = () => {
    const { error } = reveal;
    if (!error || error instanceof ReauthCancelled) return null;
    const { status } = toFailure(error);
    if (status === 429) return t("admin-accounts.reveal.limit");
    if (status === 404) return t("admin-accounts.reveal.gone");
    return errorText(error, "admin-accounts.reveal.failed");
  };
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t("admin-accounts.reveal.title", { name })}
      description={t("admin-accounts.reveal.text")}
      onSubmit={form.handleSubmit((values) => reveal.mutate(values))}
      loading={reveal.isPending}
      submitError={refusal()}
      submitLabel={t("admin-accounts.reveal.submit")}
      pendingLabel={t("admin-accounts.reveal.pending")}
    >
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
