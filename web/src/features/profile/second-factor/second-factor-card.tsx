import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Fingerprint, LifeBuoy, Smartphone, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { Passkey, SecondFactor } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { useFormat } from "#/shared/format/use-format";
import { passkeysKnown } from "#/shared/passkeys-known";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Notice } from "#/shared/ui/notice";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { AuthenticatorDialog } from "./authenticator-dialog";
import { NewCodes, RemovePasskey, TurnOff } from "./confirm-dialogs";
import { FactorRow } from "./factor-row";
import { PasskeyDialog } from "./passkey-dialog";
import { isOn, secondFactorQuery } from "./queries";
import { RecoveryCodesDialog } from "./recovery-codes-dialog";

type OpenDialog =
  | { dialog: "authenticator" | "passkey" | "newCodes" | "turnOff" }
  | { dialog: "removePasskey"; passkey: Passkey }
  | { dialog: "codes"; codes: readonly string[] };

/**
 * Manages the second factor. `onDone` is called when the first factor is set up and its codes were
 * shown.
 */
export function SecondFactorCard({ onDone }: { onDone?: () => void }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const query = useQuery(secondFactorQuery(useTransport()));
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null);
  const factor = query.data?.secondFactor;
  const close = () => setOpenDialog(null);
  const added = (codes: readonly string[]) =>
    setOpenDialog(codes.length > 0 ? { dialog: "codes", codes } : null);
  return (
    <Card title={t("second-factor.title")} flush>
      <div className="divide-y divide-line border-t border-line">
        {query.isPending && <SkeletonRows rows={3} label={t("common.loading")} />}
        {query.error && !factor && (
          <div className="p-4 md:p-5">
            <ErrorPanel
              title={t("second-factor.loadFailed")}
              reason={errorText(query.error)}
              onRetry={() => void query.refetch()}
              retrying={query.isFetching}
            />
          </div>
        )}
        {factor && <Rows factor={factor} ask={setOpenDialog} />}
      </div>
      {openDialog?.dialog === "authenticator" && (
        <AuthenticatorDialog onClose={close} onConfirmed={added} />
      )}
      {openDialog?.dialog === "passkey" && <PasskeyDialog onClose={close} onAdded={added} />}
      {openDialog?.dialog === "newCodes" && <NewCodes onClose={close} onMade={added} />}
      {openDialog?.dialog === "turnOff" && <TurnOff onClose={close} />}
      {openDialog?.dialog === "removePasskey" && (
        <RemovePasskey passkey={openDialog.passkey} onClose={close} />
      )}
      {openDialog?.dialog === "codes" && (
        <RecoveryCodesDialog
          codes={openDialog.codes}
          onClose={() => {
            close();
            onDone?.();
          }}
        />
      )}
    </Card>
  );
}

function Rows({ factor, ask }: { factor: SecondFactor; ask: (openDialog: OpenDialog) => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const on = isOn(factor);
  const since = factor.authenticatorSince;
  return (
    <>
      <div className="px-4 py-4 md:px-5">
        <p className="text-muted">{on ? t("second-factor.onText") : t("second-factor.offText")}</p>
      </div>
      <FactorRow
        icon={Smartphone}
        title={t("second-factor.app.title")}
        state={
          since
            ? t("second-factor.app.on", { date: format.instantDay(timestampDate(since)) })
            : t("second-factor.app.off")
        }
        text={t("second-factor.app.text")}
        control={
          <Button
            variant={on ? "secondary" : "primary"}
            onClick={() => ask({ dialog: "authenticator" })}
          >
            {since ? t("second-factor.app.replace") : t("second-factor.app.setUp")}
          </Button>
        }
      />
      <Passkeys factor={factor} ask={ask} />
      {on && (
        <>
          <RecoveryCodes factor={factor} ask={ask} />
          <div className="px-4 py-4 md:px-5">
            <Button
              variant="quiet"
              className="max-md:w-full"
              disabledReason={factor.required ? t("second-factor.required") : undefined}
              onClick={() => ask({ dialog: "turnOff" })}
            >
              {t("second-factor.off.open")}
            </Button>
            {factor.required && (
              <p className="mt-2 text-sm text-muted">{t("second-factor.required")}</p>
            )}
          </div>
        </>
      )}
    </>
  );
}

function Passkeys({
  factor,
  ask,
}: {
  factor: SecondFactor;
  ask: (openDialog: OpenDialog) => void;
}) {
  const { t } = useTranslation();
  const usable = factor.passkeysOffered && passkeysKnown();
  // Hidden if passkeys can be neither created nor used.
  if (!usable && factor.passkeys.length === 0) return null;
  return (
    <FactorRow
      icon={Fingerprint}
      title={t("second-factor.passkeys.title")}
      state={
        factor.passkeys.length > 0
          ? t("second-factor.passkeys.count", { count: factor.passkeys.length })
          : undefined
      }
      text={t("second-factor.passkeys.text")}
      control={
        usable && (
          <Button onClick={() => ask({ dialog: "passkey" })}>
            {t("second-factor.passkeys.add")}
          </Button>
        )
      }
    >
      {factor.passkeys.length > 0 && (
        <ul className="mt-3 divide-y divide-line rounded-card border border-line">
          {factor.passkeys.map((passkey) => (
            <PasskeyRow
              key={passkey.id}
              passkey={passkey}
              onRemove={() => ask({ dialog: "removePasskey", passkey })}
            />
          ))}
        </ul>
      )}
    </FactorRow>
  );
}

function PasskeyRow({ passkey, onRemove }: { passkey: Passkey; onRemove: () => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { name, createdAt, lastUsedAt } = passkey;
  return (
    <li className="flex items-center justify-between gap-3 py-2 pr-2 pl-4">
      <span className="min-w-0">
        <span dir="auto" className="block font-semibold wrap-anywhere">
          {name}
        </span>
        <span className="block text-sm text-muted">
          {createdAt &&
            t("second-factor.passkeys.added", {
              date: format.instantDay(timestampDate(createdAt)),
            })}{" "}
          {lastUsedAt
            ? t("second-factor.passkeys.used", {
                date: format.instantDay(timestampDate(lastUsedAt)),
              })
            : t("second-factor.passkeys.neverUsed")}
        </span>
      </span>
      <Button
        variant="quiet"
        icon
        aria-label={t("second-factor.passkeys.removeName", { name })}
        onClick={onRemove}
      >
        <Trash2 aria-hidden className="size-4" />
      </Button>
    </li>
  );
}

function RecoveryCodes({
  factor,
  ask,
}: {
  factor: SecondFactor;
  ask: (openDialog: OpenDialog) => void;
}) {
  const { t } = useTranslation();
  const left = factor.recoveryCodesLeft;
  return (
    <FactorRow
      icon={LifeBuoy}
      title={t("second-factor.codes.title")}
      state={t("second-factor.codes.left", { count: left })}
      text={t("second-factor.codes.text")}
      control={
        <Button
          variant={left > 2 ? "secondary" : "primary"}
          onClick={() => ask({ dialog: "newCodes" })}
        >
          {t("second-factor.codes.replace")}
        </Button>
      }
    >
      {left <= 2 && (
        <div className="mt-3">
          <Notice>{t("second-factor.codes.few")}</Notice>
        </div>
      )}
    </FactorRow>
  );
}
