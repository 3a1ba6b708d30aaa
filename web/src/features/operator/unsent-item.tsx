import { CloudUpload, Pencil, Trash2, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { MeterUnit } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useFormat } from "#/shared/format/use-format";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { Button } from "#/shared/ui/button";
import type { OutboxEntry } from "./outbox-entry";
import { UpdateFacts } from "./update-facts";

/** An entry that lies on this device: it waits for a connection, or the server did not accept it. */
export function UnsentItem({
  entry,
  unit,
  editing,
  onEdit,
  onDiscard,
}: {
  entry: OutboxEntry;
  unit: MeterUnit | undefined;
  editing: boolean;
  onEdit: () => void;
  onDiscard: () => void;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const [asking, setAsking] = useState(false);
  const refused = entry.state === "refused";
  const Icon = refused ? TriangleAlert : CloudUpload;
  return (
    <li className={`p-4 ${editing ? "bg-accent-soft" : "bg-sunken"}`}>
      <p className="font-semibold">{entry.equipmentName}</p>
      <p className="text-sm text-muted">{format.instant(entry.capturedAt)}</p>
      <UpdateFacts
        reading={entry.reading}
        unit={unit}
        fuelAdded={entry.fuelAdded ?? 0}
        fuelKind={entry.fuelKind}
        notes={entry.notes}
      />
      <p
        className={`mt-2.5 flex items-center gap-2 text-sm font-semibold ${refused ? "text-danger" : ""}`}
      >
        <Icon aria-hidden className="size-4 shrink-0" />
        {t(refused ? "operator.outbox.refusedState" : "operator.outbox.waitingState")}
      </p>
      {refused && (
        <>
          <p className="mt-0.5 pl-6 text-sm">{entry.reason}</p>
          <div className="mt-3 flex gap-2">
            <Button onClick={onEdit} className="flex-1">
              <Pencil aria-hidden className="size-4" />
              {t("operator.outbox.edit")}
            </Button>
            <Button variant="danger" onClick={() => setAsking(true)} className="flex-1">
              <Trash2 aria-hidden className="size-4" />
              {t("operator.outbox.discard")}
            </Button>
          </div>
          <AlertDialog
            open={asking}
            onOpenChange={setAsking}
            title={t("operator.outbox.discardTitle")}
            description={t("operator.outbox.discardText", { name: entry.equipmentName })}
            confirmLabel={t("operator.outbox.discard")}
            onConfirm={() => {
              setAsking(false);
              onDiscard();
            }}
          />
        </>
      )}
    </li>
  );
}
