import { useStore } from "#/shared/store";
import type { Outbox, OutboxState } from "./outbox";

export const useOutboxState = (outbox: Outbox): OutboxState => useStore(outbox.state);
