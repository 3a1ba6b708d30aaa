import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useState, type ComponentProps } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { EquipmentDialogs } from "#/features/equipment/dialogs/equipment-dialogs-on-demand";
import { equipmentQuery } from "#/features/equipment/queries";
import { MachinePicker } from "#/features/equipment/find/machine-picker";
import { key } from "#/i18n/key";
import { useNavigation } from "#/shared/navigation";
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
  isHere = false,
  onClose,
}: {
  entry: MachineEntry;
  machine?: Equipment | null;
  /** Of the focused row's machine, or of the page's; it may be retired, and is asked for then. */
  isHere?: boolean;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const { path } = useNavigation();
  const [chosen, setChosen] = useState(known);
  const [machineId] = useState(() => (isHere ? machineHere(path) : undefined));
  const ofPage = useQuery({
    ...equipmentQuery(useTransport(), machineId ?? ""),
    enabled: machineId !== undefined,
  });
  const machine = chosen ?? ofPage.data?.equipment;
  if (machine)
    return <EquipmentDialogs action={actions[entry]} equipment={machine} onClose={onClose} />;
  if (ofPage.isLoading) return null;
  return (
    <MachinePicker
      title={t(questions[entry])}
      withMeter={entry === "reading"}
      onChoose={setChosen}
      onClose={onClose}
    />
  );
}

function machineHere(path: string): string | undefined {
  const row = document.activeElement?.closest("[data-row-key]");
  const link = row?.querySelector("a[href]")?.getAttribute("href");
  return machineOf(link) ?? machineOf(path);
}

const machineOf = (path: string | null | undefined) =>
  /^\/equipment\/item\/([^/?]+)$/.exec(path ?? "")?.[1];
