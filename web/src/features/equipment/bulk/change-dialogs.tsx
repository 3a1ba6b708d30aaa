import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import { callUnaryMethod } from "@connectrpc/connect-query";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import * as v from "valibot";
import {
  EquipmentService,
  type Equipment,
  type EquipmentInputSchema,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { equipmentTypes } from "#/domain/equipment-types";
import { operationalOnWire, typeOnWire } from "#/domain/equipment-wire";
import { operationalStatuses } from "#/domain/equipment-words";
import { SelectField } from "#/shared/form/fields/select-field";
import { useAppForm } from "#/shared/form/use-app-form";
import { operationalLabel } from "#/shared/words/operational-label";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import type { Undo } from "../dialogs/use-undo-changes";
import { GroupField } from "../form/group-field";
import { BulkForm, type BulkProps } from "./bulk-form";
import { useBulk } from "./use-bulk";

const { getEquipment, updateEquipment } = EquipmentService.method;

type Change = MessageInitShape<typeof EquipmentInputSchema>;

/** Changes fields of a machine; undoing restores `before`. */
function useChange() {
  // A repeat after a lost response would read what the first attempt wrote.
  const firstRead = useRef(new Map<string, Equipment>());
  return async (
    transport: Transport,
    { id }: Equipment,
    after: Change,
    before: (equipment: Equipment) => Change,
  ): Promise<Undo | undefined> => {
    // The selection may be older than the machine's last change.
    const equipment =
      firstRead.current.get(id) ??
      (await callUnaryMethod(transport, getEquipment, { id })).equipment;
    if (equipment) firstRead.current.set(id, equipment);
    await callUnaryMethod(transport, updateEquipment, { id, equipment: after });
    return (
      equipment &&
      (async (later) => {
        await callUnaryMethod(later, updateEquipment, { id, equipment: before(equipment) });
        return 0;
      })
    );
  };
}

const typeSchema = v.object({ type: v.picklist(equipmentTypes) });
type TypeValues = v.InferOutput<typeof typeSchema>;

export function TypeDialog({ machines, onClose, onDone }: BulkProps) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const form = useAppForm<TypeValues>(typeSchema, { type: "machinery" });
  const change = useChange();
  const bulk = useBulk<TypeValues>(
    machines,
    (transport, machine, { type }) =>
      change(transport, machine, { type: typeOnWire[type] }, (before) => ({ type: before.type })),
    onDone,
  );
  const count = bulk.rows.length;
  return (
    <BulkForm
      form={form}
      bulk={bulk}
      onClose={onClose}
      title={t("equipment-bulk.type.title", { count })}
      submit={t("equipment-bulk.type.submit", { count })}
    >
      <SelectField
        control={form.control}
        name="type"
        label={t("equipment.columns.type")}
        options={equipmentTypes.map((value) => ({ value, label: labels.type(value) }))}
      />
    </BulkForm>
  );
}

const operationalSchema = v.object({ status: v.picklist(operationalStatuses) });
type OperationalValues = v.InferOutput<typeof operationalSchema>;

export function OperationalDialog({ machines, onClose, onDone }: BulkProps) {
  const { t } = useTranslation();
  const form = useAppForm<OperationalValues>(operationalSchema, { status: "standing" });
  const change = useChange();
  const bulk = useBulk<OperationalValues>(
    machines,
    (transport, machine, { status }) =>
      change(
        transport,
        machine,
        { operationalStatus: operationalOnWire[status] },
        ({ operationalStatus }) => ({ operationalStatus }),
      ),
    onDone,
  );
  const count = bulk.rows.length;
  return (
    <BulkForm
      form={form}
      bulk={bulk}
      onClose={onClose}
      title={t("equipment-bulk.operational.title", { count })}
      submit={t("equipment-bulk.type.submit", { count })}
    >
      <SelectField
        control={form.control}
        name="status"
        label={t("equipment.operational.label")}
        options={operationalStatuses.map((value) => ({
          value,
          label: operationalLabel(t, value),
        }))}
      />
    </BulkForm>
  );
}

const groupSchema = v.object({ group: v.pipe(v.string(), v.trim()) });
type GroupValues = v.InferOutput<typeof groupSchema>;

export function GroupDialog({ machines, onClose, onDone }: BulkProps) {
  const { t } = useTranslation();
  const form = useAppForm<GroupValues>(groupSchema, { group: "" });
  const change = useChange();
  const bulk = useBulk<GroupValues>(
    machines,
    (transport, machine, { group }) =>
      change(transport, machine, { group }, (before) => ({ group: before.group ?? "" })),
    onDone,
  );
  const count = bulk.rows.length;
  const clears = form.watch("group").trim() === "";
  return (
    <BulkForm
      form={form}
      bulk={bulk}
      onClose={onClose}
      title={t("equipment-bulk.group.title", { count })}
      submit={
        clears
          ? t("equipment-bulk.group.clear", { count })
          : t("equipment-bulk.group.submit", { count })
      }
    >
      <GroupField control={form.control} name="group" hint={t("equipment-bulk.group.hint")} />
    </BulkForm>
  );
}
