import type { DescMessage, DescMethodUnary } from "@bufbuild/protobuf";
import { callUnaryMethod } from "@connectrpc/connect-query";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { AccountsService, type Passkey } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { ReauthCancelled } from "#/session/reauth";
import { useReauthTransport } from "#/session/reauth-transport";
import { useWrite } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { useRefreshFactor } from "./queries";

/** Asks before a change; stays open with the reason of a refusal. */
function useChange<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  done: string,
  onDone: () => void,
) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const refresh = useRefreshFactor();
  return useWrite(method, {
    transport: useReauthTransport(),
    onSuccess: () => {
      toast.success(done);
      onDone();
      void refresh();
    },
    onError: (error) => {
      if (!(error instanceof ReauthCancelled)) {
        toast.failure(t("second-factor.failed"), errorText(error));
      }
    },
  });
}

export function TurnOff({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const { turnOffSecondFactor } = AccountsService.method;
  const off = useChange(turnOffSecondFactor, t("second-factor.off.done"), onClose);
  return (
    <AlertDialog
      open
      onOpenChange={onClose}
      title={t("second-factor.off.title")}
      description={t("second-factor.off.text")}
      confirmLabel={t("second-factor.off.confirm")}
      pendingLabel={t("second-factor.off.pending")}
      pending={off.isPending}
      onConfirm={() => off.mutate({})}
    />
  );
}

export function RemovePasskey({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const { t } = useTranslation();
  const { id, name } = passkey;
  const { removePasskey } = AccountsService.method;
  const remove = useChange(removePasskey, t("second-factor.passkeys.removed"), onClose);
  return (
    <AlertDialog
      open
      onOpenChange={onClose}
      title={t("second-factor.passkeys.removeTitle", { name })}
      description={t("second-factor.passkeys.removeText")}
      confirmLabel={t("second-factor.passkeys.remove")}
      pendingLabel={t("second-factor.passkeys.removing")}
      pending={remove.isPending}
      onConfirm={() => remove.mutate({ id })}
    />
  );
}

export function NewCodes({
  onClose,
  onMade,
}: {
  onClose: () => void;
  onMade: (codes: readonly string[]) => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useReauthTransport();
  const refresh = useRefreshFactor();
  const make = useMutation({
    // The mutation cache keeps results, so the codes are removed here.
    mutationFn: async () => {
      const { replaceRecoveryCodes } = AccountsService.method;
      const answer = await callUnaryMethod(transport, replaceRecoveryCodes, {});
      onMade(answer.recoveryCodes);
    },
    onSuccess: () => void refresh(),
    onError: (error) => {
      if (!(error instanceof ReauthCancelled)) {
        toast.failure(t("second-factor.failed"), errorText(error));
      }
    },
  });
  return (
    <AlertDialog
      open
      onOpenChange={onClose}
      title={t("second-factor.codes.replaceTitle")}
      description={t("second-factor.codes.replaceText")}
      confirmLabel={t("second-factor.codes.replace")}
      pendingLabel={t("second-factor.codes.replacing")}
      pending={make.isPending}
      tone="primary"
      onConfirm={() => make.mutate()}
    />
  );
}
