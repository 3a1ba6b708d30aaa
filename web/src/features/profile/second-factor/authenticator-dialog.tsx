import { callUnaryMethod } from "@connectrpc/connect-query";
import { Copy } from "lucide-react";
import { QRCodeSVG } from "qrcode.react";
import { useEffect, useState } from "react";
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
import { toast } from "#/shared/toast/store";
import { Button } from "#/shared/ui/button";
import { Notice } from "#/shared/ui/notice";
import { useCopy } from "#/shared/use-copy";
import { useRefreshFactor } from "./queries";

const codeSchema = v.object({
  code: v.pipe(
    v.string(),
    v.check((code) => /^\d{6}$/.test(code.replace(/\s/g, "")), key("auth.ownerLogin.totpRequired")),
  ),
});

interface Secret {
  secret: string;
  url: string;
}

/** Shows the secret for the app and verifies a code. */
export function AuthenticatorDialog({
  onClose,
  onConfirmed,
}: {
  onClose: () => void;
  onConfirmed: (codes: readonly string[]) => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const { secret, error } = useNewSecret(onClose);
  const { form, confirm } = useConfirm(onConfirmed);
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t("second-factor.app.dialog")}
      description={t("second-factor.app.steps")}
      onSubmit={form.handleSubmit((values) => confirm.mutate(values))}
      loading={confirm.isPending}
      submitError={confirm.error && errorText(confirm.error)}
      submitLabel={t("second-factor.app.confirm")}
      pendingLabel={t("second-factor.app.confirming")}
    >
      {error && <Notice tone="danger">{errorText(error)}</Notice>}
      {secret && <ShownSecret secret={secret} />}
      <TextField
        control={form.control}
        name="code"
        label={t("auth.ownerLogin.totp")}
        hint={t("auth.ownerLogin.totpHint")}
        autoComplete="one-time-code"
        inputMode="numeric"
        maxLength={9}
        mono
        plain
      />
    </FormDialog>
  );
}

function ShownSecret({ secret: { secret, url } }: { secret: Secret }) {
  const { t } = useTranslation();
  const copy = useCopy();
  return (
    <div className="flex flex-col items-center gap-4 sm:flex-row sm:items-start">
      {/* Dark on light with a light margin in both themes, for cameras. */}
      <QRCodeSVG
        value={url}
        size={192}
        marginSize={4}
        title={t("second-factor.app.qr")}
        className="shrink-0 rounded-card border border-line"
      />
      <div className="min-w-0 space-y-2">
        <p className="text-sm text-muted">{t("second-factor.app.secretText")}</p>
        <p className="font-mono text-sm select-all">{groups(secret)}</p>
        <Button size="small" onClick={() => void copy(secret, t("second-factor.copied"))}>
          <Copy aria-hidden className="size-4" />
          {t("second-factor.app.copy")}
        </Button>
      </div>
    </div>
  );
}

/** In groups of four, like authenticator apps. */
function groups(secret: string): string {
  return secret.replace(/(.{4})(?=.)/g, "$1 ");
}

/** Creates a secret when the dialog opens; no cache holds it. */
function useNewSecret(onCancelled: () => void) {
  const transport = useReauthTransport();
  const [state, setState] = useState<{ secret: Secret | null; error: Error | null }>({
    secret: null,
    error: null,
  });
  useEffect(() => {
    const unmounted = new AbortController();
    const load = async () => {
      try {
        const { secret, url } = await callUnaryMethod(
          transport,
          AccountsService.method.startAuthenticator,
          {},
        );
        if (!unmounted.signal.aborted) setState({ secret: { secret, url }, error: null });
      } catch (error) {
        if (unmounted.signal.aborted) return;
        if (error instanceof ReauthCancelled) onCancelled();
        else
          setState({ secret: null, error: error instanceof Error ? error : new Error("failed") });
      }
    };
    void load();
    return () => unmounted.abort();
    // Once: another secret would make the one on screen worthless.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return state;
}

function useConfirm(onConfirmed: (codes: readonly string[]) => void) {
  const { t } = useTranslation();
  const transport = useReauthTransport();
  const refresh = useRefreshFactor();
  const form = useAppForm(codeSchema, { code: "" });
  const confirm = useSecretMutation({
    // The mutation cache keeps results, so the codes are removed here.
    mutationFn: async ({ code }: { code: string }) => {
      const { confirmAuthenticator } = AccountsService.method;
      const { recoveryCodes } = await callUnaryMethod(transport, confirmAuthenticator, { code });
      onConfirmed(recoveryCodes);
      return recoveryCodes.length > 0;
    },
    onSuccess: (shown) => {
      // No toast with recovery codes: it would cover them on a phone.
      if (!shown) toast.success(t("second-factor.app.done"), t("second-factor.app.doneText"));
      void refresh();
    },
    onError: (error) => {
      if (error instanceof ReauthCancelled) return;
      showFieldErrors(form, error, ["code"]);
    },
  });
  const error = confirm.error instanceof ReauthCancelled ? null : confirm.error;
  return { form, confirm: { ...confirm, error } };
}
