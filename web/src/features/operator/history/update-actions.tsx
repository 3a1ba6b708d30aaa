import { Pencil, Undo2 } from "lucide-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import { rest } from "#/api/rest";
import type { UnitWord } from "#/domain/equipment-words";
import { checkSession, useSession } from "#/session/session";
import { useSessionEnded } from "#/session/state";
import { useOnline } from "#/shared/online";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { Button } from "#/shared/ui/button";
import { toast } from "#/shared/toast/store";
import { refresh } from "../offline-data/cached-query";
import { historyKey, putUpdate } from "../offline-data/own-history";
import { ownUpdateSchema, type OwnUpdate } from "../offline-data/own-update";
import { useUserDeps } from "../offline-data/per-user";
import { factsOf, useFactsLine } from "./update-facts";

/** Withdraws a pending update, and corrects a rejected or withdrawn one. */
export function UpdateActions({
  update,
  unit,
  corrected,
  onCorrect,
}: {
  update: OwnUpdate;
  unit: UnitWord | undefined;
  /** Whether it was corrected on this device. */
  corrected: boolean;
  onCorrect: () => void;
}) {
  const { t } = useTranslation();
  const factsLine = useFactsLine();
  const online = useOnline();
  const [open, setOpen] = useState(false);
  const correct = useRef<HTMLButtonElement>(null);
  // People with the shared password have one id, so the server can't know whose update it is.
  const isNamed = useSession()?.operatorUsername != null;
  const mayWithdraw = !useSessionEnded() && isNamed && update.status === "pending";
  const { withdraw, pending, problem } = useWithdraw(update, () => setOpen(false));
  const shownProblem = online ? problem : t("phone.withdraw.noSignal");
  const correctLabel = corrected
    ? t("operator.rejected.correctAgain")
    : t(update.withdrawn ? "phone.withdraw.again" : "operator.rejected.correct");
  return (
    <>
      {mayWithdraw && (
        <Button variant="quiet" className="mt-1 -mb-2 -ml-4" onClick={() => setOpen(true)}>
          <Undo2 aria-hidden className="size-4" />
          {t("phone.withdraw.action")}
        </Button>
      )}
      {update.status === "rejected" && (
        // A correction can be discarded or be wrong too, so the button stays.
        <Button
          ref={correct}
          variant={corrected ? "quiet" : "secondary"}
          className="mt-3"
          onClick={onCorrect}
        >
          <Pencil aria-hidden className="size-4" />
          {correctLabel}
        </Button>
      )}
      <AlertDialog
        open={open}
        onOpenChange={setOpen}
        title={t("phone.withdraw.title")}
        description={
          <>
            <span className="block font-semibold break-words text-ink">
              {[update.equipmentName, factsLine(factsOf(update, unit))].filter(Boolean).join(" · ")}
            </span>
            {t("phone.withdraw.text")}
          </>
        }
        confirmLabel={t("phone.withdraw.action")}
        pending={pending}
        pendingLabel={t("phone.withdraw.pending")}
        focusAfter={() => correct.current}
        onConfirm={() => void withdraw()}
      >
        {shownProblem && (
          <p role="alert" className="mt-3 font-semibold text-danger">
            {shownProblem}
          </p>
        )}
      </AlertDialog>
    </>
  );
}

function useWithdraw({ id }: OwnUpdate, onDone: () => void) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const person = useUserDeps();
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const withdraw = async () => {
    setPending(true);
    setProblem(null);
    try {
      const path = `/api/operator-updates/${id}/withdraw`;
      const options = { expectedUser: person.userId };
      await putUpdate(person, await rest("POST", path, ownUpdateSchema, options));
      onDone();
    } catch (error) {
      const { status } = toFailure(error);
      if (status === 401) checkSession(person.client);
      if (status === 409) {
        // A manager has decided meanwhile. The row shows how.
        toast.failure(t("phone.withdraw.failed"), errorText(error));
        void refresh(person.client, historyKey(person.userId));
        onDone();
        return;
      }
      setProblem(status === 0 ? t("phone.withdraw.noSignal") : errorText(error));
    } finally {
      setPending(false);
    }
  };
  return { withdraw, pending, problem };
}
