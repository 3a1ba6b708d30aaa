import { clsx } from "clsx";
import { Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { key } from "#/i18n/key";
import { useSession } from "#/session/session";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { Button } from "#/shared/ui/button";
import { isStuck, type Phase } from "../send/outbox";
import type { FieldMachine } from "../offline-data/machines";
import type { OutboxEntry } from "../send/outbox-entry";
import { ItemHead } from "./sent-item";
import { StateLine } from "./state-line";
import { factsOfEntry, UpdateFacts } from "./update-facts";
import { useWhen } from "#/shared/words/use-when";

/** An entry on this device that waits to be sent or was refused. */
export function UnsentItem({
  entry,
  phase,
  machine,
  editing,
  onEdit,
  onDiscard,
}: {
  entry: OutboxEntry;
  phase: Phase;
  machine: FieldMachine | undefined;
  editing: boolean;
  onEdit: () => void;
  onDiscard: () => void;
}) {
  const { t } = useTranslation();
  const when = useWhen();
  const [asking, setAsking] = useState(false);
  const stuck = phase === "phone" && isStuck(entry);
  // A waiting entry may be sent at any moment, also while it is edited.
  const editable = phase === "refused" || stuck;
  // Without a name, the server can't know whose update it is, so nobody can withdraw it.
  const isNamed = useSession()?.operatorUsername != null;
  const discardText = () => {
    if (phase === "refused") return key("operator.outbox.discardText");
    if (stuck) return key("operator.outbox.discardFailedText");
    return isNamed ? key("phone.withdraw.discardNamedText") : key("phone.withdraw.discardText");
  };
  return (
    <li className={clsx("p-4", editing ? "bg-accent-soft" : "bg-sunken")}>
      <ItemHead
        name={entry.equipmentName}
        number={machine?.unitNumber}
        time={when.at(new Date(entry.capturedAt))}
      />
      <UpdateFacts {...factsOfEntry(entry, machine?.unit)} />
      <StateLine state={phase} className="mt-2" />
      {entry.reason && <p className="mt-0.5 pl-6 text-sm">{entry.reason}</p>}
      {phase !== "sending" && (
        <div className="mt-3 flex gap-2">
          {editable && (
            <Button onClick={onEdit} className="flex-1">
              <Pencil aria-hidden className="size-4" />
              {t("operator.outbox.edit")}
            </Button>
          )}
          <Button variant="danger" onClick={() => setAsking(true)} className="flex-1">
            <Trash2 aria-hidden className="size-4" />
            {t("operator.outbox.discard")}
          </Button>
        </div>
      )}
      {/* Stays open while the entry is retried. */}
      <AlertDialog
        open={asking}
        onOpenChange={setAsking}
        title={t("operator.outbox.discardTitle")}
        description={t(discardText(), { name: entry.equipmentName })}
        confirmLabel={t("operator.outbox.discard")}
        onConfirm={() => {
          setAsking(false);
          onDiscard();
        }}
      />
    </li>
  );
}
