import { useState, type ComponentProps } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { EquipmentDialogs } from "#/features/equipment/dialogs/equipment-dialogs-on-demand";
import { MachinePicker } from "#/features/equipment/find/machine-picker";
import { key } from "#/i18n/key";
import { afterFrame } from "#/shared/idle";
import type { MachineEntry } from "./quick-add-kinds";

const questions = {
  reading: key("commands.picker.reading"),
  fuel: key("commands.picker.fuel"),
  service: key("commands.picker.service"),
  note: key("commands.picker.note"),
} as const satisfies Record<MachineEntry, string>;

const actions: Record<MachineEntry, ComponentProps<typeof EquipmentDialogs>["action"]> = {
  reading: "reading",
  fuel: "fuel",
  service: "serviced",
  note: "notes",
};

/** Asks for the machine, unless it is known, and opens the dialog of the entry. */
export function MachineEntryDialogs({
  entry,
  machine: known = null,
  onClose,
}: {
  entry: MachineEntry;
  machine?: Equipment | null;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const [machine, setMachine] = useState(known);
  const [picking, setPicking] = useState(known === null);
  // The picker first returns the focus, so that the next dialog returns it to the same element.
  const choose = (chosen: Equipment) => {
    setPicking(false);
    afterFrame(() => setMachine(chosen));
  };
  if (picking) {
    return <MachinePicker title={t(questions[entry])} onChoose={choose} onClose={onClose} />;
  }
  if (!machine) return null;
  return <EquipmentDialogs action={actions[entry]} equipment={machine} onClose={onClose} />;
}
