/** A message to one person. */
export interface Message {
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
}

/** What sends mail. */
export interface Mail {
  /** Gives a message to the mail server. @throws whatever kept it from that */
  send(message: Message): Promise<void>;
}
