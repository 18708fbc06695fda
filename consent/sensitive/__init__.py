"""What nobody should have to hand to an assistant: finding it, refusing it, masking it (C-7)."""
